import * as z from "zod"
import type { Database } from "../database/database.ts"
import { TenantId } from "../shapes.ts"
import type { DeliverDue } from "./deliver-due.ts"

/** A message of the ingestion's queue: look at what waits to be sent. */
export const WebhooksMessage = z.object({ kind: z.literal("webhooks"), tenant: TenantId })
export type WebhooksMessage = z.infer<typeof WebhooksMessage>

/** Puts it into the queue; it is handed out after `delayS` seconds, 0 to 900. */
export type SendWakeup = (message: WebhooksMessage, delayS: number) => Promise<void>

/** Deliveries of processes that live for a message: another message wakes one when the next is due. */
export interface WebhookWakeups {
  /** After anything that may have given a tenant something to send. At most one message of a tenant's is under way. */
  plan(tenant: string): Promise<void>
  /** What a message asks for: sends what is due, and plans the next look. */
  work(tenant: string, signal: AbortSignal): Promise<void>
}

// Clocks differ, and the queue is a little early at times.
const ARRIVED = "update webhook_endpoints set wake_at = null where wake_at <= now() + interval '2 seconds'"
const UNPLAN = "update webhook_endpoints set wake_at = null where wake_at is not null"
const PLAN = "select plan_webhook_wakeup() as delay_s"

export function createWebhookWakeups(parts: {
  readonly database: Database
  readonly deliverDue: DeliverDue
  readonly send: SendWakeup
}): WebhookWakeups {
  const { database, deliverDue, send } = parts

  async function plan(tenant: string): Promise<void> {
    const [[row] = []] = await database.batch({ tenant }, [{ text: PLAN }])
    const delayS = row?.["delay_s"]
    if (typeof delayS !== "number") return
    try {
      await send({ kind: "webhooks", tenant }, Math.min(900, Math.max(0, delayS)))
    } catch (error) {
      // Or nobody would send one for half an hour.
      await database.batch({ tenant }, [{ text: UNPLAN }])
      throw error
    }
  }

  return {
    plan,
    async work(tenant, signal) {
      await database.batch({ tenant }, [{ text: ARRIVED }])
      await deliverDue(tenant, signal)
      await plan(tenant)
    },
  }
}
