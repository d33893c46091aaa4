import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sweepAges } from "../care/sweep.ts"
import type { Config } from "../config.ts"
import type { CountUsage } from "../count-usage.ts"
import type { Database, OwnerDatabase } from "../database/database.ts"
import { createImportBundle, type ImportBundle } from "../documents/bundles/import-bundle.ts"
import { createDocumentPages, type DocumentPages } from "../documents/document-pages.ts"
import { createDocuments } from "../documents/documents.ts"
import type { Enricher } from "../documents/enrichment/enrichment-session.ts"
import type { IngestListener } from "../documents/ingest/background-runs.ts"
import { createIngest } from "../documents/ingest/create-ingest.ts"
import { createIngestQueue, type IngestQueue, tenantsWithWork } from "../documents/ingest/ingest-queue.ts"
import { createPagePictures, type PagePictures } from "../documents/page-pictures.ts"
import { patientEmbedder } from "../inference/meter-embedder.ts"
import { type ModelDeps, patientModels } from "../inference/tenant-models.ts"
import type { Log } from "../log.ts"
import { openObjectStore } from "../objects/open-object-store.ts"
import { createWebhookQueue, tenantsWithWebhooks } from "../webhooks/webhook-queue.ts"
import type { FileReading } from "./open-file-reading.ts"
import { openWebhooks, tellingIngest } from "./open-webhooks.ts"

/** Documents worked on at once: while long ones are embedded, short ones come and go beside them. */
const DOCUMENTS_AT_ONCE = 6

/** Files and bundles on their way in, and what became of them. */
export interface OpenedIngest {
  readonly ingest: IngestQueue
  readonly importBundle: ImportBundle
  readonly documentPages: DocumentPages
  readonly pagePictures: PagePictures
  /** Where files lie while they are received and read. */
  readonly tempFolder: string
  /** Takes up, in the background, what an earlier process left. */
  resumeIngest(): Promise<void>
  close(): Promise<void>
}

interface OpenIngestParts extends ModelDeps {
  readonly database: Database
  /** The same for what callers read. */
  readonly requests: Database
  readonly owner: OwnerDatabase
  readonly reading: FileReading
  /** Null: uploads are not enriched. */
  readonly enricher: Enricher | null
  readonly config: Config
  /** Nothing is kept: objects go to a folder that is removed at the end. */
  readonly inMemory: boolean
  readonly listener?: IngestListener | undefined
  readonly count?: CountUsage | undefined
  readonly log: Log
}

/** Opens the object store and puts the ingestion on it. */
export async function openIngest(parts: OpenIngestParts): Promise<OpenedIngest> {
  const { database, owner, config, log, inMemory } = parts
  const home = inMemory ? await mkdtemp(join(tmpdir(), "concordance-")) : config.concordanceHome
  const objects = await openObjectStore(inMemory ? { concordanceHome: home } : { ...config, concordanceHome: home })
  const isAlone = database.driver === "pglite"
  const tempFolder = join(home, "tmp")
  // A killed process leaves its files here; where another process may live, they may be its.
  if (isAlone) await rm(tempFolder, { recursive: true, force: true })
  const { reading } = parts
  const embedder = parts.embedder && patientEmbedder(parts.embedder)
  const models = parts.models && patientModels(parts.models)
  const documents = createDocuments(database)
  const webhooks = createWebhookQueue({ deliverDue: openWebhooks(config, database, log), log })
  const untold = createIngest({
    ...parts,
    ...reading,
    embedder,
    models,
    documents,
    objects,
    settings: config,
    tempFolder,
  })
  const steps = tellingIngest(untold, webhooks.wake)
  const ingest = createIngestQueue({
    ...parts.listener,
    ingest: steps,
    documentsAtOnce: DOCUMENTS_AT_ONCE,
    isAlone,
    log,
  })
  const documentPages = createDocumentPages(parts.requests)
  return {
    ingest,
    importBundle: createImportBundle({
      ...{ database, embedder, models, objects, cleanUp: steps.cleanUp },
      meter: { count: parts.count },
    }),
    documentPages,
    pagePictures: createPagePictures({ pages: documentPages, objects }),
    tempFolder,
    resumeIngest: async () => {
      await sweepAges(owner, config.retentionDays)
      await ingest.resumeAll(await tenantsWithWork(owner, config.retentionDays))
      for (const tenant of await tenantsWithWebhooks(owner)) webhooks.wake(tenant)
    },
    close: async () => {
      await ingest.close()
      await webhooks.close()
      await reading.fileReader.close()
      if (inMemory) await rm(home, { recursive: true, force: true })
    },
  }
}
