import type { Database, Row, SqlValue } from "../database/database.ts"
import { WEBHOOK_TIMEOUT_MS, type WebhookOutcome } from "./send-webhook.ts"

/**
 * After which attempt how long is waited, s: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h. That is how Standard Webhooks' first
 * implementation (Svix) does it; the eighth attempt is 27.6 h after the first.
 */
const WAITS_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const
/** Added to each wait, at most, so that what failed together doesn't come back together. */
const JITTER = 0.2
/** Taken at once of each endpoint, and sent one after the other. */
const AT_ONCE = 4
/** Whoever took some and hasn't said what came of them by then is dead, s. */
const LEASE_S = (AT_ONCE * WEBHOOK_TIMEOUT_MS) / 1_000 + 20
/** An endpoint that didn't answer at all is left alone for so long, s, whatever else waits for it. */
const SILENT_S = 60

const AGE = "select age_webhooks()"

// Two claims at once would each see no lease of the other's, and send one endpoint's events side by side. Whoever queues an event
// holds a key share, which this doesn't wait for.
const ONE_BY_ONE = "select 1 from webhook_endpoints order by id for no key update"

const CLAIM = `
  update webhook_deliveries d set lease = $1, next_attempt_at = now() + interval '${LEASE_S} seconds'
    from webhooks_due() n join webhook_endpoints e on e.id = n.endpoint_id and n.due_at <= now() cross join lateral (
      select w.id from webhook_deliveries w
       where w.source_account_id = e.source_account_id and w.endpoint_id = e.id and w.state = 'pending'
         and w.next_attempt_at <= now()
       order by w.position limit ${AT_ONCE} for update skip locked) due
   where d.source_account_id = e.source_account_id and d.id = due.id
  returning d.id, d.endpoint_id, d.body, d.attempts, d.position::float8 as position, e.url, e.secret`

const NEXT = `
  select greatest(0, extract(epoch from min(due_at) - now()) * 1000)::float8 as ms from webhooks_due() having count(*) > 0`

const NOTE = `
  update webhook_deliveries
     set state = $3, attempts = attempts + 1, last_status = $4, last_error = $5, lease = null,
         next_attempt_at = now() + $6::float8 * interval '1 s', finished_at = case when $3 <> 'pending' then now() end
   where id = $1 and lease = $2 and state = 'pending'`

const SILENCE = `update webhook_endpoints set silent_until = now() + interval '${SILENT_S} seconds' where id = $1`

const RELEASE = `
  update webhook_deliveries set lease = null, next_attempt_at = now()
   where lease = $1 and state = 'pending' and ($2::text is null or endpoint_id = $2)`

const DISABLE = "update webhook_endpoints set disabled_at = now() where id = $1 and disabled_at is null"
const FAIL_ALL = `
  update webhook_deliveries set state = 'failed', finished_at = now(), lease = null, last_error = 'the endpoint is disabled: it answered 410'
   where endpoint_id = $1 and state = 'pending'`

/** What is to be sent now, and where. */
export interface DueDelivery {
  readonly id: string
  readonly endpointId: string
  readonly url: string
  readonly secret: string
  readonly body: string
  /** Before this one. */
  readonly attempts: number
}

/** A tenant's deliveries, as whoever sends them sees them. `lease` names one sender's hold on what it claimed. */
export interface Deliveries {
  /** Milliseconds until something is due, 0 where it is already; null where nothing waits. */
  nextMs(tenant: string): Promise<number | null>
  /** Takes some of each endpoint that is due, in the order in which they came to be; no other sender gets any of it meanwhile. */
  claim(tenant: string, lease: string): Promise<readonly DueDelivery[]>
  /** Notes what came of one. 410 ends the endpoint. */
  note(tenant: string, lease: string, delivery: DueDelivery, outcome: WebhookOutcome): Promise<void>
  /** Leaves an endpoint alone for a minute: what waits for it, or comes meanwhile, costs no attempt. */
  putOff(tenant: string, lease: string, endpointId: string): Promise<void>
  /** Gives back what was claimed and not sent. */
  release(tenant: string, lease: string): Promise<void>
}

export function createDeliveries(database: Database, random: () => number = Math.random): Deliveries {
  const ask = async (tenant: string, ...statements: [text: string, ...values: SqlValue[]][]): Promise<Row[]> => {
    const rows = await database.batch(
      { tenant },
      statements.map(([text, ...values]) => ({ text, values })),
    )
    return rows.at(-1) ?? []
  }
  return {
    async nextMs(tenant) {
      const [row] = await ask(tenant, [NEXT])
      return row ? Number(row["ms"]) : null
    },
    async claim(tenant, lease) {
      const rows = (await ask(tenant, [ONE_BY_ONE], [AGE], [CLAIM, lease])) as unknown as ClaimedRow[]
      const inOrder = [...rows].sort((a, b) => a.position - b.position)
      return inOrder.map(({ endpoint_id: endpointId, position: _, ...row }) => ({ ...row, endpointId }))
    },
    async note(tenant, lease, { id, endpointId, attempts }, { status, error }) {
      const waitS = WAITS_S[attempts]
      const state = error === null ? "delivered" : waitS === undefined || status === 410 ? "failed" : "pending"
      const delayS = (waitS ?? 0) * (1 + JITTER * random())
      const noted: [string, ...SqlValue[]] = [NOTE, id, lease, state, status, error, delayS]
      if (status === 410) await ask(tenant, noted, [DISABLE, endpointId], [FAIL_ALL, endpointId])
      else await ask(tenant, noted)
    },
    putOff: async (tenant, lease, endpointId) =>
      void (await ask(tenant, [SILENCE, endpointId], [RELEASE, lease, endpointId])),
    release: async (tenant, lease) => void (await ask(tenant, [RELEASE, lease, null])),
  }
}

interface ClaimedRow extends Omit<DueDelivery, "endpointId"> {
  readonly endpoint_id: string
  readonly position: number
}
