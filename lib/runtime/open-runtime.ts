import type { EvidenceDeps } from "../answers/extractive/gather-evidence.ts"
import type { Config } from "../config.ts"
import type { Database, OwnerDatabase } from "../database/database.ts"
import { MIGRATIONS_FOLDER, migrate } from "../database/migrate.ts"
import { type OpenedDatabase, openDatabase } from "../database/open-database.ts"
import { loadQuestionDetector } from "../detect-language.ts"
import { type Anomalies, createAnomalies } from "../documents/anomalies.ts"
import { type CountCollection, createCountCollection } from "../documents/collection.ts"
import { createDocuments, type Documents } from "../documents/documents.ts"
import { createEntities, type Entities } from "../documents/entities.ts"
import { createIndexDocuments, type IndexDocuments } from "../documents/index-documents.ts"
import type { IngestListener } from "../documents/ingest/background-runs.ts"
import { upgradePluginTables } from "../documents/upgrade-plugin-tables.ts"
import type { Health } from "../health.ts"
import type { EmbeddingMeter } from "../inference/meter-embedder.ts"
import { type ModelOpening, settingsOf } from "../inference/model-opening.ts"
import { type Inference, openInference } from "../inference/open-inference.ts"
import { type Authenticate, createAuthenticator } from "../keys/authenticator.ts"
import { createKeyRing, type KeyRing } from "../keys/key-ring.ts"
import type { Rates } from "../limits/rates.ts"
import type { Log } from "../log.ts"
import { createFeedback, type Feedback } from "../search/feedback.ts"
import type { Retrieve } from "../search/retrieve.ts"
import type { Search, SearchDeps } from "../search/search.ts"
import { createReadUsage, type ReadUsage } from "../usage/read-usage.ts"
import { createHealth } from "./create-health.ts"
import { type Answers, openAnswers } from "./open-answers.ts"
import { openEnricher } from "./open-enricher.ts"
import { type FileReading, openFileReading } from "./open-file-reading.ts"
import { type OpenedIngest, openIngest } from "./open-ingest.ts"
import { openLimits } from "./open-limits.ts"
import { createOpenPublication, type OpenPublication } from "./open-publication.ts"
import { openSearchedIndex } from "./open-searched-index.ts"
import { openSearching } from "./open-searching.ts"
import { openTenantModels } from "./open-tenant-models.ts"
import { readingOverIndex } from "./pages-over-index.ts"
import { servedCalls } from "./served-calls.ts"

/** How long a component may take to show that it is alive, ms. */
const HEALTH_TIMEOUT_MS = 2_000

/** The product, put together: what the server, the command line and the tests stand on. */
export interface Runtime extends Omit<OpenedIngest, "close"> {
  readonly search: Search
  readonly retrieve: Retrieve
  readonly feedback: Feedback
  readonly answers: Answers
  /** What answers without a language model stand on. */
  readonly extractive: EvidenceDeps
  /** What searches stand on. */
  readonly searchDeps: SearchDeps
  readonly indexDocuments: IndexDocuments
  readonly documents: Documents
  readonly countCollection: CountCollection
  readonly entities: Entities
  readonly anomalies: Anomalies
  readonly openPublication: OpenPublication
  readonly keys: KeyRing
  readonly authenticate: Authenticate
  readonly rates: Rates
  readonly readUsage: ReadUsage
  /** Of what is embedded for a tenant beside searches. */
  readonly embeddingMeter: EmbeddingMeter
  readonly health: Health
  readonly inference: Pick<Inference, "embedder" | "reranker" | "warm">
  /** Whether the database runs in this process. */
  readonly embedded: boolean
  /** For what stands above the tenants: loading samples, building indexes. No route gets it. */
  readonly owner: OwnerDatabase
  /** Closes models and database; what is under way finishes first. */
  close(): Promise<void>
}

interface RuntimeOptions {
  readonly log: Log
  /** Where the embedded database lives in place of `CONCORDANCE_HOME`; `memory://` keeps nothing. */
  readonly databaseHome?: string
  /** Hears of every file that is worked on. */
  readonly ingestListener?: IngestListener
  /** Reads files in place of the product's own reader. */
  readonly fileReading?: FileReading
}

/**
 * Opens the database and the models that the settings name, side by side, and brings the schema up to date.
 *
 * @throws AppError `invalid_configuration`, `conflict` when another process has the embedded database,
 *   `database_unavailable`, `inference_unavailable`
 */
export async function openRuntime(config: Config, options: RuntimeOptions): Promise<Runtime> {
  const { log, databaseHome: home = config.concordanceHome } = options
  const [opened, inference] = await openBoth(config, home, log)
  const { owner } = opened
  const { database, rates, usage, embeddingMeter, served } = openLimits(opened.database, config, log)
  const { embedder, reranker } = inference
  const swapping = swappedModels(config, opened, inference, log)
  const { models } = swapping
  const indexDocuments = createIndexDocuments({ database, embedder, models, meter: embeddingMeter })
  const documents = createDocuments(database)
  const ingesting = await openIngest({
    ...{ database: opened.database, requests: database, owner, config, log, count: usage.count },
    ...{ embedder, models, listener: options.ingestListener },
    reading: options.fileReading ?? openFileReading(config, embedder),
    enricher: openEnricher(config),
    inMemory: home === "memory://",
  }).catch(async (error: unknown) => {
    await Promise.allSettled([inference.close(), closeDatabase(opened)])
    throw error
  })
  const keys = createKeyRing(owner)
  const searched = await openSearchedIndex(config, database, embedder, { tenants: keys.namedTenants }).catch(
    async (error: unknown) => {
      await Promise.allSettled([ingesting.close(), inference.close(), closeDatabase(opened)])
      throw error
    },
  )
  const searching = { database, searched, embedder, models, reranker, detector: loadQuestionDetector }
  const { searchDeps, retrieve, evidence } = openSearching(searching)
  const anomalies = createAnomalies(database)
  const reading = readingOverIndex(
    { documents, ...ingesting },
    { foreign: searched.foreign, timeoutMs: config.searchTimeoutMs },
  )
  const countCollection = createCountCollection(database)
  const answers = openAnswers({ config, database, retrieve, evidence, pages: reading.documentPages, anomalies })
  const runtime: Runtime = {
    ...ingesting,
    ...reading,
    ...servedCalls({ ...reading, answers, retrieve, search: evidence.search }, served),
    ...{ extractive: evidence, searchDeps, feedback: createFeedback(database) },
    indexDocuments: sweptAfter(indexDocuments, ingesting.ingest),
    countCollection,
    entities: createEntities(database),
    anomalies,
    openPublication: createOpenPublication({ config, database, embedder }),
    keys,
    authenticate: createAuthenticator(database),
    readUsage: createReadUsage({ database, stored: countCollection, flush: usage.flush }),
    embeddingMeter,
    rates,
    health: healthOf({ database, searched, inference, unopened: swapping.failed }),
    inference: swapping.inference,
    embedded: database.driver === "pglite",
    owner,
    close: async () => {
      await searched.close()
      await ingesting.close()
      await swapping.inference.close()
      await usage.close()
      await closeDatabase(opened)
    },
  }
  try {
    await takeOver(opened, indexDocuments, log)
    return runtime
  } catch (error) {
    await runtime.close()
    throw error
  }
}

/** Database and models, side by side. */
async function openBoth(config: Config, home: string, log: Log): Promise<[OpenedDatabase, Inference]> {
  const openingDatabase = openMigrated({ url: config.databaseUrl, ownerUrl: config.migrationDatabaseUrl, home }, log)
  const openingModels = openInference({ ...config, home: config.concordanceHome })
  return Promise.all([openingDatabase, openingModels]).catch(async (error: unknown) => {
    // Whichever half did open holds a lock or memory that nobody else would give back.
    await Promise.allSettled([openingDatabase.then(closeDatabase), openingModels.then((models) => models.close())])
    throw error
  })
}

interface Seen {
  readonly database: Database
  readonly searched: Pick<Awaited<ReturnType<typeof openSearchedIndex>>, "foreign">
  readonly inference: Inference
  readonly unopened: () => readonly string[]
}

function healthOf({ database, searched, inference, unopened }: Seen): Health {
  const parts = { database, index: async () => searched.foreign, models: async () => inference, unopened }
  return createHealth({ ...parts, timeoutMs: HEALTH_TIMEOUT_MS })
}

/** Sweeps ride on these writes too. */
function sweptAfter(index: IndexDocuments, { wrote }: OpenedIngest["ingest"]): IndexDocuments {
  return async (tenant, requests, deadline) => {
    const outcomes = await index(tenant, requests, deadline)
    wrote(tenant)
    return outcomes
  }
}

async function openMigrated(options: Parameters<typeof openDatabase>[0], log: Log): Promise<OpenedDatabase> {
  const opened = await openDatabase(options)
  try {
    const began = performance.now()
    const applied = await migrate(opened.owner, MIGRATIONS_FOLDER)
    log.info("database ready", {
      driver: opened.database.driver,
      migrations: applied.length,
      ms: Math.round(performance.now() - began),
    })
    return opened
  } catch (error) {
    await closeDatabase(opened)
    throw error
  }
}

/** The models that the settings name, and those that tenants have in their place. */
function swappedModels(config: Config, { database, owner }: OpenedDatabase, standard: Inference, log: Log) {
  const { embedder, reranker } = standard
  const open = (opening: ModelOpening) =>
    openInference(settingsOf(opening, { ...config, home: config.concordanceHome }))
  const { models, warm, failed, close } = openTenantModels({ database, open, log })
  const inference: Inference = {
    ...{ embedder, reranker },
    warm: async () => [...(await standard.warm()), ...(await warm(owner, embedder?.model ?? null))],
    close: async () => void (await Promise.all([standard.close(), close()])),
  }
  return { models, failed, inference }
}

async function takeOver({ database, owner }: OpenedDatabase, index: IndexDocuments, log: Log): Promise<void> {
  const onProgress = (copied: number) => log.info("copying the plugin's documents", { copied })
  const upgrade = await upgradePluginTables({ database, owner, index, onProgress })
  if (upgrade) log.info("the plugin's documents are here", { ...upgrade })
}

async function closeDatabase({ database, owner }: OpenedDatabase): Promise<void> {
  await Promise.all([database.close(), owner.close()])
}
