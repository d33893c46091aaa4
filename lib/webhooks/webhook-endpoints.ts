import { randomBytes } from "node:crypto"
import type { OwnerDatabase, Row, SqlValue } from "../database/database.ts"
import { AppError, invalidField } from "../errors.ts"
import { TenantId } from "../shapes.ts"
import { newWebhookSecret } from "./sign-webhook.ts"
import { checkWebhookUrl } from "./webhook-address.ts"

/** What an endpoint may be told of. */
export type WebhookEvent = "document.ready" | "document.failed" | "document.deleted"

/** Of one tenant: each event is written once for each of them. */
const ENDPOINTS_MAX = 20

/** An address that hears of one tenant's documents. */
export interface WebhookEndpoint {
  readonly id: string
  readonly tenant: string
  readonly url: string
  readonly events: readonly WebhookEvent[]
  readonly createdAt: string
  /** When it answered 410; null: it is told. */
  readonly disabledAt: string | null
  readonly pending: number
}

/** One event on its way to one endpoint, or what became of it. */
export interface WebhookDelivery {
  /** The header `webhook-id` of every attempt. */
  readonly id: string
  readonly endpointId: string
  readonly tenant: string
  readonly event: string
  readonly documentId: string | null
  readonly state: "pending" | "delivered" | "failed"
  readonly attempts: number
  /** Of the last attempt; null where there was none, or no answer. */
  readonly lastStatus: number | null
  readonly lastError: string | null
  readonly createdAt: string
  /** Null where none follows. */
  readonly nextAttemptAt: string | null
}

/** What an operator does with webhooks. It sees every tenant. */
export interface WebhookEndpoints {
  /** `secret` is shown here once. Throws `invalid_request`, and `conflict` where the tenant has 20. */
  add(wanted: {
    readonly tenant: string
    readonly url: string
    readonly events: readonly WebhookEvent[]
  }): Promise<{ readonly endpoint: WebhookEndpoint; readonly secret: string }>
  list(tenant?: string): Promise<readonly WebhookEndpoint[]>
  /** With all that waits for it. False where there is none. */
  remove(id: string): Promise<boolean>
  /** Queues an event `webhook.test`, which names no document. Throws `not_found`, `conflict` where it is disabled. */
  test(id: string): Promise<WebhookDelivery>
  /** The latest first. */
  deliveries(wanted: {
    readonly endpointId?: string | undefined
    readonly limit: number
  }): Promise<readonly WebhookDelivery[]>
  /** Null where there is none, or no more. */
  delivery(id: string): Promise<WebhookDelivery | null>
  /** Queues a delivery once more, under the same id, with all of its attempts. Throws as `test`. */
  replay(id: string): Promise<WebhookDelivery>
}

const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

const ENDPOINT = `
  e.id, e.source_account_id as tenant, e.url, e.events, ${time("e.created_at")} as "createdAt", ${time("e.disabled_at")} as "disabledAt",
  (select count(*)::int from webhook_deliveries d where d.source_account_id = e.source_account_id and d.endpoint_id = e.id
      and d.state = 'pending') as pending`

const DELIVERY = `
  d.id, d.endpoint_id as "endpointId", d.source_account_id as tenant, event, document_id as "documentId", state, attempts,
  last_status as "lastStatus", last_error as "lastError", ${time("created_at")} as "createdAt",
  case when state = 'pending' then ${time(`greatest(next_attempt_at, (select e.silent_until from webhook_endpoints e
      where e.source_account_id = d.source_account_id and e.id = d.endpoint_id))`)} end as "nextAttemptAt"`

const ADD = `
  insert into webhook_endpoints as e (source_account_id, id, url, events, secret)
  select $1, $2, $3, $4::text[], $5 where (select count(*) from webhook_endpoints where source_account_id = $1) < ${ENDPOINTS_MAX}
  returning ${ENDPOINT}`

// Somebody asks for an attempt now, so he has reason to think that the endpoint is silent no longer.
const TEST = `
  with awake as (
    update webhook_endpoints set silent_until = null where id = $1 and disabled_at is null returning source_account_id, id)
  insert into webhook_deliveries as d (source_account_id, id, endpoint_id, event, body)
  select source_account_id, 'msg_' || replace(gen_random_uuid()::text, '-', ''), id, 'webhook.test',
         jsonb_build_object('type', 'webhook.test', 'timestamp', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                            'data', jsonb_build_object('source_account_id', source_account_id))::text
    from awake
  returning ${DELIVERY}`

const REPLAY = `
  with awake as (
    update webhook_endpoints e set silent_until = null from webhook_deliveries d
     where d.id = $1 and e.source_account_id = d.source_account_id and e.id = d.endpoint_id and e.disabled_at is null
    returning e.source_account_id, e.id)
  update webhook_deliveries d
     set state = 'pending', attempts = 0, next_attempt_at = now(), queued_at = now(), finished_at = null, lease = null
    from awake a where d.id = $1 and d.source_account_id = a.source_account_id and d.endpoint_id = a.id
  returning ${DELIVERY}`

/** `hosts`: `WEBHOOK_HOSTS`. */
export function createWebhookEndpoints(owner: OwnerDatabase, hosts: readonly string[]): WebhookEndpoints {
  const rows = <R extends object>(text: string, values: SqlValue[] = []) =>
    owner.session((session) => session.query<R & Row>(text, values))
  const byId = async (table: "webhook_endpoints" | "webhook_deliveries", id: string) =>
    (await rows(`select 1 from ${table} where id = $1`, [id])).length > 0

  /** The one delivery of a statement that asks for an endpoint that isn't disabled. */
  async function queued(text: string, id: string, table: "webhook_endpoints" | "webhook_deliveries") {
    const [delivery] = await rows<WebhookDelivery>(text, [id])
    if (delivery) return delivery
    if (await byId(table, id))
      throw new AppError("conflict", "The endpoint is disabled, since it answered 410: add it anew")
    throw new AppError("not_found", "There is nothing with this id: see concordance webhooks list, or deliveries")
  }

  return {
    async add({ tenant, url, events }) {
      if (!TenantId.safeParse(tenant).success) throw invalidField("tenant", "must have 1 to 128 characters")
      checkWebhookUrl(url, hosts)
      const secret = newWebhookSecret()
      const id = `wh_${randomBytes(8).toString("hex")}`
      const [endpoint] = await rows<WebhookEndpoint>(ADD, [tenant, id, url, events, secret])
      if (!endpoint) throw new AppError("conflict", `This tenant has ${ENDPOINTS_MAX} endpoints: remove one first`)
      return { endpoint, secret }
    },
    list: (tenant) =>
      rows<WebhookEndpoint>(
        `select ${ENDPOINT} from webhook_endpoints e where $1::text is null or source_account_id = $1 order by 2, 1`,
        [tenant ?? null],
      ),
    remove: async (id) => (await rows("delete from webhook_endpoints where id = $1 returning id", [id])).length > 0,
    test: (id) => queued(TEST, id, "webhook_endpoints"),
    deliveries: ({ endpointId, limit }) =>
      rows<WebhookDelivery>(
        `select ${DELIVERY} from webhook_deliveries d where $1::text is null or endpoint_id = $1 order by position desc limit $2::int`,
        [endpointId ?? null, limit],
      ),
    delivery: async (id) =>
      (await rows<WebhookDelivery>(`select ${DELIVERY} from webhook_deliveries d where id = $1`, [id]))[0] ?? null,
    replay: (id) => queued(REPLAY, id, "webhook_deliveries"),
  }
}
