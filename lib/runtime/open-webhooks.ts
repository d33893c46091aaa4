import type { Config } from "../config.ts"
import type { Database } from "../database/database.ts"
import type { Ingest } from "../documents/ingest/create-ingest.ts"
import type { Log } from "../log.ts"
import { createDeliverDue, type DeliverDue } from "../webhooks/deliver-due.ts"
import { createDeliveries } from "../webhooks/deliveries.ts"
import { createSendWebhook } from "../webhooks/send-webhook.ts"

/** What sends a tenant's webhooks, as the settings allow. */
export function openWebhooks({ webhookHosts }: Pick<Config, "webhookHosts">, database: Database, log: Log): DeliverDue {
  return createDeliverDue({
    deliveries: createDeliveries(database),
    send: createSendWebhook({ hosts: webhookHosts }),
    log,
  })
}

/** The ingestion's steps, after each of which that may end or delete an upload `wake` hears whose it was. */
export function tellingIngest(ingest: Ingest, wake: (tenant: string) => void): Ingest {
  const telling =
    <Args extends [tenant: string, ...rest: unknown[]], T>(step: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const done = await step(...args)
      wake(args[0])
      return done
    }
  return {
    ...ingest,
    run: telling(ingest.run),
    leftovers: telling(ingest.leftovers),
    received: telling(ingest.received),
    removed: telling(ingest.removed),
    delete: telling(ingest.delete),
    reset: telling(ingest.reset),
  }
}
