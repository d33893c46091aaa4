import { join } from "node:path"
import { openServer } from "../../lib/database/open-server.ts"
import { createDocuments } from "../../lib/documents/documents.ts"
import { createIngest } from "../../lib/documents/ingest/create-ingest.ts"
import type { FileReaderOptions } from "../../lib/documents/pages/create-file-reader.ts"
import { AppError } from "../../lib/errors.ts"
import { openObjectStore } from "../../lib/objects/open-object-store.ts"
import { openEnricher } from "../../lib/runtime/open-enricher.ts"
import { openFileReading } from "../../lib/runtime/open-file-reading.ts"
import { openWebhooks } from "../../lib/runtime/open-webhooks.ts"
import { createWebhookWakeups } from "../../lib/webhooks/webhook-wakeups.ts"
import { observeInvocation } from "../telemetry/observe-invocation.ts"
import { createIngestEvents } from "./ingest-events.ts"
import { lambdaTenantModels } from "./lambda-tenant-models.ts"
import { openModels } from "./open-models.ts"
import { openUsage } from "./open-usage.ts"
import { lambdaConfig, lambdaLog, requireDatabaseUrl } from "./opening.ts"
import { createQueueSender } from "./queue-sender.ts"
import { ingestQueueUrl } from "./resources.ts"

/** Pages are saved side by side while the job's lease is renewed. */
const CONNECTIONS_MAX = 4

/** The queue's function, whose threads run the modules at `entries`. */
export async function openIngest(entries: NonNullable<FileReaderOptions["entries"]>) {
  const config = lambdaConfig()
  const log = lambdaLog(config)
  const queueUrl = ingestQueueUrl()
  if (!queueUrl) throw new AppError("invalid_configuration", "No IngestMessages are linked to this function")
  const database = await openServer({ url: requireDatabaseUrl(config), connectionsMax: CONNECTIONS_MAX })
  const { embedder } = await openModels(config)
  const ingest = createIngest({
    ...openFileReading(config, embedder, entries),
    database,
    objects: await openObjectStore(config),
    documents: createDocuments(database),
    embedder,
    models: lambdaTenantModels(config, database, log),
    enricher: openEnricher(config),
    settings: config,
    tempFolder: join(config.concordanceHome, "tmp"),
    log,
    count: openUsage({ database, config, log }).count,
  })
  const send = createQueueSender(queueUrl)
  const webhooks = createWebhookWakeups({
    database,
    deliverDue: openWebhooks(config, database, log),
    send: (message, delayS) => send([message], delayS),
  })
  const work = createIngestEvents({ ingest, send, webhooks, log })
  return (...invocation: Parameters<typeof work>) => observeInvocation(log, () => work(...invocation))
}
