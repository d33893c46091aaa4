import type { Config } from "../config.ts"
import { openDatabase } from "../database/open-database.ts"
import type { Deadline } from "../deadline.ts"
import { type Collection, createCollection } from "../indexes/collection.ts"
import { createConcordanceIndex } from "../indexes/concordance-index.ts"
import { callIndex } from "../indexes/index-failure.ts"
import { openForeignSearch } from "../indexes/open-foreign-search.ts"
import type { SearchIndex } from "../indexes/search-index.ts"
import { viewOf } from "../indexes/tenancy.ts"
import type { Inference } from "../inference/open-inference.ts"
import { databaseCandidates } from "../search/database-candidates.ts"
import { SearchRequest } from "../search/request.ts"
import { createSearch, type Found, type SearchDeps } from "../search/search.ts"

/** An index with what `concordance index-check` asks of it. */
interface CheckedIndex {
  readonly index: SearchIndex
  /** What it holds for a tenant, each step under a signal of its own. */
  look(tenant: string, signal: () => AbortSignal): Promise<Looked>
  /** The best three passages. */
  search(tenant: string, query: string, deadline: Deadline): Promise<Found>
  close(): Promise<void>
}

type Layout = NonNullable<Awaited<ReturnType<Collection["layout"]>>>

interface Looked extends Pick<Layout["facts"], "dimensions" | "metric">, Pick<Layout, "samples"> {
  readonly count: number
  readonly mapping: Layout["mapping"] | null
  /** Where hits are expanded to, in words. */
  readonly parents: string
}

interface Parts extends Pick<SearchDeps, "find" | "wordsNeedVector"> {
  readonly children: Collection
  readonly partitionOf: (tenant: string) => string | null
  readonly parents: Collection | null
  readonly close: () => Promise<void>
}

/** Opens the index that the settings name, Concordance's own too. Throws as `openForeignSearch` does. */
export async function openCheckedIndex(
  config: Config,
  { embedder, reranker }: Pick<Inference, "embedder" | "reranker">,
): Promise<CheckedIndex> {
  const { children, parents, partitionOf, find, wordsNeedVector = false, close } = await openParts(config, embedder)
  const { index } = children
  const settings =
    config.vectordbProvider === "concordance" ? config : { ...config, searchStrategy: config.vectordbHybridStrategy }
  const search = createSearch({ find, wordsNeedVector, embedder, reranker, detector: null, settings })
  return {
    index,
    async look(tenant, signal) {
      const partition = partitionOf(tenant)
      const layout = await children.layout({ partition, signal: signal() })
      const at = signal()
      const count = await callIndex(index.name, at, () => index.count({ partition, signal: at }))
      return {
        count,
        dimensions: layout?.facts.dimensions ?? null,
        metric: layout?.facts.metric ?? null,
        samples: layout?.samples ?? [],
        mapping: layout && layout.samples.length > 0 ? layout.mapping : null,
        parents: await parentsInWords(parents, partition, signal()),
      }
    },
    search: (tenant, query, deadline) =>
      search(tenant, SearchRequest.parse({ query, top_k: 3, group_by: "chunk" }), deadline),
    close,
  }
}

async function parentsInWords(
  parents: Collection | null,
  partition: string | null,
  signal: AbortSignal,
): Promise<string> {
  if (!parents) return "none"
  return (await parents.layout({ partition, signal }))
    ? parents.index.name
    : `there is no ${parents.index.name}; hits are shown as they are`
}

async function openParts(config: Config, embedder: Inference["embedder"]): Promise<Parts> {
  if (config.vectordbProvider !== "concordance") {
    const foreign = await openForeignSearch(config, embedder)
    return { ...foreign, partitionOf: (tenant) => viewOf(foreign.tenancy, tenant).partition }
  }
  const opened = await openDatabase({
    url: config.databaseUrl,
    ownerUrl: config.migrationDatabaseUrl,
    home: config.concordanceHome,
  })
  const { database, owner } = opened
  return {
    find: databaseCandidates(database),
    children: createCollection(createConcordanceIndex(database), {
      settings: { vectordbMetadataField: "metadata" },
      model: null,
    }),
    parents: null,
    partitionOf: (tenant) => tenant,
    close: async () => {
      await database.close()
      await owner.close()
    },
  }
}
