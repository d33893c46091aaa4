import { randomUUID } from "node:crypto"
import type { Log } from "../log.ts"
import type { Deliveries, DueDelivery } from "./deliveries.ts"
import type { SendWebhook } from "./send-webhook.ts"
import { signWebhook } from "./sign-webhook.ts"

interface DeliverDueParts {
  readonly deliveries: Deliveries
  readonly send: SendWebhook
  readonly log: Log
  /** Of a clock, ms since 1970. */
  readonly now?: () => number
}

const GONE = 410
/** Another sender was faster: what it leaves is looked at again then, ms. */
const BEHIND_MS = 1_000

/** Sends what is due of a tenant's, until nothing is. Milliseconds until something will be; null where nothing waits. */
export type DeliverDue = (tenant: string, signal: AbortSignal) => Promise<number | null>

/**
 * Endpoints side by side, the deliveries of each one after the other. What is under way when `signal` aborts is given back, and
 * may arrive twice. Throws what the database throws.
 */
export function createDeliverDue({ deliveries, send, log, now = Date.now }: DeliverDueParts): DeliverDue {
  /** The answer's status; null where there was none. */
  async function attempt(tenant: string, lease: string, due: DueDelivery, signal: AbortSignal): Promise<number | null> {
    const { id, endpointId: endpoint, url, secret, body, attempts } = due
    const headers = signWebhook({ id, body }, secret, now())
    const outcome = await send(url, { headers, body }, signal)
    await deliveries.note(tenant, lease, due, outcome)
    const { status, error } = outcome
    const fields = { delivery: id, endpoint, status, attempt: attempts + 1 }
    if (error === null) log.debug("a webhook was delivered", fields)
    else log.warn("a webhook was not delivered", { ...fields, reason: error })
    return status
  }

  /** All of them are of one endpoint. */
  async function sendAll(tenant: string, lease: string, all: readonly DueDelivery[], signal: AbortSignal) {
    for (const due of all) {
      signal.throwIfAborted()
      const status = await attempt(tenant, lease, due, signal)
      // 10 s for each of a thousand that wait would be hours.
      if (status === null) return deliveries.putOff(tenant, lease, due.endpointId)
      if (status === GONE) return
    }
  }

  return async (tenant, signal) => {
    for (;;) {
      const nextMs = await deliveries.nextMs(tenant)
      if (nextMs !== 0 || signal.aborted) return nextMs
      const lease = randomUUID()
      const claimed = await deliveries.claim(tenant, lease)
      if (claimed.length === 0) return BEHIND_MS
      const endpoints = [...new Set(claimed.map(({ endpointId }) => endpointId))]
      const of = (endpoint: string) => claimed.filter(({ endpointId }) => endpointId === endpoint)
      const sent = await Promise.allSettled(endpoints.map((each) => sendAll(tenant, lease, of(each), signal)))
      const failed = sent.find((each) => each.status === "rejected")
      if (!failed) continue
      await deliveries.release(tenant, lease)
      if (!signal.aborted) throw failed.reason
    }
  }
}
