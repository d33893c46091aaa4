import type { Database, OwnerDatabase } from "../lib/database/database.ts"
import type { ImportBundle } from "../lib/documents/bundles/import-bundle.ts"
import type { DocumentPages } from "../lib/documents/document-pages.ts"
import type { Documents } from "../lib/documents/documents.ts"
import type { IndexOutcome } from "../lib/documents/index-documents.ts"
import type { IndexRequest } from "../lib/documents/index-request.ts"
import type { IngestListener } from "../lib/documents/ingest/background-runs.ts"
import type { IngestQueue } from "../lib/documents/ingest/ingest-queue.ts"
import type { PagePictures } from "../lib/documents/page-pictures.ts"
import type { KeyRing } from "../lib/keys/key-ring.ts"
import type { McpDeps } from "../lib/mcp/create-mcp-server.ts"
import type { OpenPublication } from "../lib/runtime/open-publication.ts"
import type { SearchRequest } from "../lib/search/request.ts"
import type { RetrieveRequest } from "../lib/search/retrieve.ts"
import type { Found, SearchDeps } from "../lib/search/search.ts"
import packageJson from "../package.json" with { type: "json" }
import type { Terminal } from "./terminal.ts"

/** The product as a command uses it: each call under the timeout of the settings, and under Ctrl-C. */
export interface Product {
  search(tenant: string, request: SearchRequest): Promise<Found>
  retrieve(tenant: string, request: RetrieveRequest): Promise<Found>
  indexDocuments(tenant: string, requests: readonly IndexRequest[]): Promise<readonly IndexOutcome[]>
  /** Under Ctrl-C alone: a bundle takes as long as its chunks take the model. */
  readonly importBundle: ImportBundle
  readonly documents: Documents
  readonly documentPages: DocumentPages
  readonly pagePictures: PagePictures
  readonly ingest: IngestQueue
  readonly openPublication: OpenPublication
  /** What searches stand on, for whoever measures them. */
  readonly searchDeps: SearchDeps
  readonly owner: OwnerDatabase
  /** What the MCP server stands on. */
  readonly mcp: McpDeps
  /** Takes up what an earlier process left of its uploads. */
  resumeIngest(): Promise<void>
}

interface WithRuntimeOptions {
  /** Nothing of the user's is touched: no home, and no server either. */
  readonly inMemory?: boolean
  /** The command searches nothing, so an index of VECTORDB_PROVIDER need not be there. */
  readonly withoutSearch?: boolean
  /** The command uses no model, so it doesn't wait for one. */
  readonly withoutModels?: boolean
  readonly ingestListener?: IngestListener
  /** Pages read at once, in place of INGEST_CONCURRENCY. */
  readonly ingestConcurrency?: number | undefined
}

/** Opens the product that the environment describes, hands it to `work` and closes it, whatever happens. */
export async function withRuntime<T>(
  terminal: Terminal,
  work: (product: Product) => Promise<T>,
  options: WithRuntimeOptions = {},
): Promise<T> {
  const { configFromEnvironment } = await import("../functions/environment.ts")
  const { deadlineIn } = await import("../lib/deadline.ts")
  const { createLog } = await import("../lib/log.ts")
  const { openRuntime } = await import("../lib/runtime/open-runtime.ts")
  const configured = configFromEnvironment()
  const { databaseUrl, migrationDatabaseUrl, ...rest } = {
    ...configured,
    ingestConcurrency: options.ingestConcurrency ?? configured.ingestConcurrency,
    ...(options.withoutSearch && { vectordbProvider: "concordance" as const }),
  }
  const config = options.inMemory
    ? { ...rest, databaseUrl: undefined, migrationDatabaseUrl: undefined }
    : { ...rest, databaseUrl, migrationDatabaseUrl }
  const log = createLog({ level: "warn", write: (line) => terminal.note(line.trimEnd()), readable: true })
  const runtime = await openRuntime(config, {
    log,
    ...(options.inMemory && { databaseHome: "memory://" }),
    ...(options.ingestListener && { ingestListener: options.ingestListener }),
  })
  try {
    // A command asks once and then ends, so it waits for its models rather than answering without them.
    if (!options.withoutModels) await runtime.inference.warm()
    terminal.signal.throwIfAborted()
    const deadline = (ms: number) => deadlineIn(ms, terminal.signal)
    return await work({
      ...runtime,
      mcp: { ...runtime, ...config, answer: runtime.answers.answer, version: packageJson.version, log },
      search: (tenant, request) => runtime.search(tenant, request, deadline(config.searchTimeoutMs)),
      retrieve: (tenant, request) => runtime.retrieve(tenant, request, deadline(config.searchTimeoutMs)),
      indexDocuments: (tenant, requests) => runtime.indexDocuments(tenant, requests, deadline(config.indexTimeoutMs)),
      importBundle: (tenant, root, options) =>
        runtime.importBundle(tenant, root, { ...options, signal: terminal.signal }),
    })
  } finally {
    await runtime.close()
  }
}

/** The keys of the installation, with its database up to date; no model is loaded for them. */
export async function withKeyRing<T>(work: (keys: KeyRing) => Promise<T>): Promise<T> {
  const { createKeyRing } = await import("../lib/keys/key-ring.ts")
  return withOwner((owner) => work(createKeyRing(owner)))
}

/** The database that the settings name, brought up to date; no model is loaded. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  return withBoth(({ database }) => work(database))
}

/** The owner's way into the database, brought up to date. */
export async function withOwner<T>(work: (owner: OwnerDatabase) => Promise<T>): Promise<T> {
  return withBoth(({ owner }) => work(owner))
}

export interface BothDatabases {
  readonly database: Database
  readonly owner: OwnerDatabase
}

/** Both ways into the database, brought up to date. */
export async function withBoth<T>(work: (both: BothDatabases) => Promise<T>): Promise<T> {
  const { openConfiguredDatabase } = await import("./open-configured.ts")
  const { MIGRATIONS_FOLDER, migrate } = await import("../lib/database/migrate.ts")
  const both = await openConfiguredDatabase()
  try {
    await migrate(both.owner, MIGRATIONS_FOLDER)
    return await work(both)
  } finally {
    await both.database.close()
    await both.owner.close()
  }
}
