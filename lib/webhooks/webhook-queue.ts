import { runBeside } from "../activity.ts"
import type { OwnerDatabase } from "../database/database.ts"
import { TIMER_MS_MAX } from "../deadline.ts"
import type { Log } from "../log.ts"
import type { DeliverDue } from "./deliver-due.ts"

/** Deliveries of one process that stays: nothing polls, a timer runs only while something waits. */
export interface WebhookQueue {
  /** A tenant may have something to send: looks beside everything else, and comes back when the next is due. */
  wake(tenant: string): void
  /** Lets what is being sent finish for `CLOSING_MS`, and gives back the rest. */
  close(): Promise<void>
}

interface WebhookQueueParts {
  readonly deliverDue: DeliverDue
  readonly log: Log
}

/** Under the server's own limit for closing, 5 s. */
const CLOSING_MS = 3_000
/** After a look that failed, ms: the database is away. */
const AGAIN_MS = 60_000

export function createWebhookQueue({ deliverDue, log }: WebhookQueueParts): WebhookQueue {
  const stop = new AbortController()
  const timers = new Map<string, NodeJS.Timeout>()
  const running = new Map<string, { again: boolean; readonly work: Promise<void> }>()
  let isClosed = false

  function wakeIn(ms: number, tenant: string): void {
    clearTimeout(timers.get(tenant))
    if (!isClosed) timers.set(tenant, setTimeout(() => wake(tenant), Math.min(ms, TIMER_MS_MAX)).unref())
  }

  async function look(tenant: string): Promise<void> {
    try {
      const nextMs = await deliverDue(tenant, stop.signal)
      if (nextMs !== null) wakeIn(nextMs, tenant)
    } catch (error) {
      log.warn("webhooks could not be looked through; it is tried again", { error })
      wakeIn(AGAIN_MS, tenant)
    }
  }

  function wake(tenant: string): void {
    const there = running.get(tenant)
    if (there) there.again = true
    if (there || isClosed) return
    clearTimeout(timers.get(tenant))
    timers.delete(tenant)
    const work = runBeside(() => look(tenant)).finally(() => {
      const again = running.get(tenant)?.again === true
      running.delete(tenant)
      if (again) wake(tenant)
    })
    running.set(tenant, { again: false, work })
  }

  return {
    wake,
    async close() {
      isClosed = true
      for (const timer of timers.values()) clearTimeout(timer)
      const late = setTimeout(() => stop.abort(), CLOSING_MS)
      await Promise.all([...running.values()].map(({ work }) => work))
      clearTimeout(late)
    },
  }
}

/** Tenants with something to send. For whoever starts: it reads every tenant's rows. */
export async function tenantsWithWebhooks(owner: OwnerDatabase): Promise<string[]> {
  const rows = await owner.session((session) =>
    session.query<{ tenant: string }>(
      "select distinct source_account_id as tenant from concordance.webhook_deliveries where state = 'pending' order by 1",
    ),
  )
  return rows.map(({ tenant }) => tenant)
}
