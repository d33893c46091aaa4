import type { Config } from "../config.ts"
import type { Database } from "../database/database.ts"
import { AppError } from "../errors.ts"
import type { ReadPassage } from "../indexes/read-passage.ts"
import type { Embedder } from "../inference/inference.ts"
import { databaseCandidates } from "../search/database-candidates.ts"
import type { SearchDeps } from "../search/search.ts"

/** The index that searches read: Concordance's own, or the one that VECTORDB_PROVIDER names. */
export interface SearchedIndex extends Pick<SearchDeps, "find" | "wordsNeedVector"> {
  /** The settings of searches of it. */
  readonly settings: Config & { readonly retrievalStrategy?: Config["vectordbHybridStrategy"] }
  /** Null: it is the database. */
  readonly foreign: ForeignIndex | null
  close(): Promise<void>
}

interface ForeignIndex {
  readonly engine: string
  readonly readPassage: ReadPassage
  health(signal: AbortSignal): Promise<void>
}

/** A tenant that a key names, in place of all. */
interface NamedTenants {
  /** Every tenant that a usable key names by itself. */
  readonly tenants: () => Promise<readonly string[]>
}

/**
 * Opens it; what reads somebody else's is loaded only where it is one. Throws as `openForeignSearch` does, and `invalid_configuration`
 * where keys were given to tenants that an undivided index isn't for.
 */
export async function openSearchedIndex(
  config: Config,
  database: Database,
  embedder: Embedder | null,
  { tenants }: NamedTenants,
): Promise<SearchedIndex> {
  if (config.vectordbProvider === "concordance") {
    const find = databaseCandidates(database, { placesMax: config.searchesPerTenantMax })
    return { find, settings: config, foreign: null, close: () => Promise.resolve() }
  }
  if (config.vectordbTenancy === "single") requireOneTenant(config.vectordbTenant, await tenants())
  const { openForeignSearch } = await import("../indexes/open-foreign-search.ts")
  const { find, wordsNeedVector, readPassage, health, close } = await openForeignSearch(config, embedder)
  const { vectordbHybridStrategy: strategy } = config
  return {
    find,
    wordsNeedVector,
    settings: { ...config, searchStrategy: strategy, retrievalStrategy: strategy },
    foreign: { engine: config.vectordbProvider, readPassage, health },
    close,
  }
}

function requireOneTenant(tenant: string, named: readonly string[]): void {
  const others = named.filter((name) => name !== tenant)
  if (others.length === 0) return
  throw new AppError(
    "invalid_configuration",
    `VECTORDB_TENANCY is single, so the index is ${tenant}'s alone, and there are keys of ${others.length} other tenants. Set it to partition or field, revoke those keys, or name their tenant in VECTORDB_TENANT.`,
  )
}
