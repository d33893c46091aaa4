import { pathSegment } from "../path-segment.ts"
import type {
  CollectionFacts,
  DenseQuery,
  IndexCall,
  IndexRecord,
  LexicalQuery,
  ScoredRecord,
  SearchIndex,
} from "../search-index.ts"
import { sparseQuestion } from "../sparse-words.ts"
import { rankWords } from "../word-ranking.ts"
import { pineconeFilter } from "./pinecone-filter.ts"
import { openPineconeServer, type PineconeAccess, type PineconeServer } from "./pinecone-host.ts"
import { type PineconeMetadata, readMetadata } from "./pinecone-metadata.ts"
import { isFetchable, namespaceOf } from "./pinecone-names.ts"
import { writePinecone } from "./pinecone-write.ts"

export interface PineconeOptions extends PineconeAccess {
  readonly index: string
  /** Host of the index; undefined: looked up. */
  readonly host: string | undefined
  /** Index of sparse vectors that Concordance wrote; null: words have none. */
  readonly sparseIndex: string | null
  /** The namespace, where a call names no partition. */
  readonly collection: string
}

/** Ids of one fetch: 100 UUIDs make a URL of 4 kB. */
const FETCH_BATCH = 100
/** Records that words choose from, at least: among them is counted how rare a word is. */
const LEXICAL_DEPTH = 200

/** Where records are that were written without naming a namespace; older statistics call it ``. */
const DEFAULT_NAMESPACE = "__default__"

interface PineconeVector {
  readonly id: string
  readonly score?: number
  readonly values?: readonly number[]
  readonly metadata?: PineconeMetadata
}

interface IndexStats {
  readonly namespaces?: Readonly<Record<string, { readonly vectorCount?: number }>>
  readonly dimension?: number
  readonly metric?: string
}

/**
 * A namespace of a serverless index, over its REST interface 2026-04. A partition is the namespace of that name. Metadata is flat:
 * `upsert` writes objects as keys with dots, and leaves out null, empty lists and lists of anything but texts. What is written is
 * found some seconds later: Pinecone is consistent in the end.
 */
export function createPineconeIndex(options: PineconeOptions): SearchIndex {
  const dense = openPineconeServer(options, options.index, options.host)
  const sparse = options.sparseIndex === null ? null : openPineconeServer(options, options.sparseIndex, undefined)
  const namespace = ({ partition }: IndexCall) => namespaceOf(partition ?? options.collection)
  const name = `Pinecone's index ${options.index}, namespace ${options.collection}`
  const { query, fetchSome } = openRequests(dense, namespace)
  const metric = createMetric(dense)
  return {
    engine: "pinecone",
    name,
    capabilities: {
      lexical: sparse ? "BM25 among what sparse vectors find" : null,
      hybrid: null,
      vectors: true,
      partitions: "namespace",
      writes: true,
      filters: ["eq", "in", "gt", "gte", "lt", "lte", "exists"],
    },
    async searchDense(asked, at) {
      const isDistance = (await metric(at)) === "euclidean"
      const matches = await query(dense, at, { ...listBody(asked), vector: Array.from(asked.vector) })
      return bestFirst(
        matches.map((match) => ({
          ...toRecord(match),
          score: isDistance ? 1 - (match.score ?? 4) / 2 : (match.score ?? 0),
        })),
      )
    },
    ...(sparse && { searchLexical: wordSearch((at, body) => query(sparse, at, body), fetchSome) }),
    fetch: async (ids, at) =>
      (await fetchSome([...new Set(ids)], at)).map((vector) => ({
        ...toRecord(vector),
        vector: null,
      })),
    async sample(count, at) {
      const parameters = new URLSearchParams({ namespace: namespace(at), limit: String(Math.min(count, FETCH_BATCH)) })
      const listed = await dense.call<{ vectors?: { id: string }[] }>(
        "GET",
        `/vectors/list?${parameters}`,
        undefined,
        at.signal,
        [404],
      )
      return (
        await fetchSome(
          (listed?.vectors ?? []).map(({ id }) => id),
          at,
        )
      ).map(toRecord)
    },
    async count(at) {
      const { namespaces = {} } = await statsOf(dense, at.signal)
      const own = namespace(at)
      return (namespaces[own] ?? (own === DEFAULT_NAMESPACE ? namespaces[""] : undefined))?.vectorCount ?? 0
    },
    async describe(at): Promise<CollectionFacts | null> {
      const found = await dense.call("GET", `/namespaces/${pathSegment(namespace(at))}`, undefined, at.signal, [404])
      if (!found) return null
      const { dimension = null } = await statsOf(dense, at.signal)
      return { dimensions: dimension, metric: await metric(at) }
    },
    health: async (signal) => void (await statsOf(dense, signal)),
    close: () => Promise.resolve(),
    ...writePinecone({ dense, sparse, namespace, name }),
  }
}

/** What several methods ask in the same way. */
function openRequests(dense: PineconeServer, namespace: (at: IndexCall) => string) {
  return {
    async query({ call }: PineconeServer, at: IndexCall, body: object): Promise<PineconeVector[]> {
      const asked = { ...body, namespace: namespace(at) }
      return (await call<{ matches?: PineconeVector[] }>("POST", "/query", asked, at.signal, [404]))?.matches ?? []
    },
    async fetchSome(ids: readonly string[], at: IndexCall): Promise<PineconeVector[]> {
      const lists = await Promise.all(
        batches(ids.filter(isFetchable), FETCH_BATCH).map(async (batch) => {
          const parameters = new URLSearchParams({ namespace: namespace(at) })
          for (const id of batch) parameters.append("ids", id)
          const path = `/vectors/fetch?${parameters}`
          const found = await dense.call<{ vectors?: Record<string, PineconeVector> }>(
            "GET",
            path,
            undefined,
            at.signal,
            [404],
          )
          return Object.values(found?.vectors ?? {})
        }),
      )
      return lists.flat()
    },
  }
}

async function statsOf({ call }: PineconeServer, signal: AbortSignal): Promise<IndexStats> {
  return (await call<IndexStats>("POST", "/describe_index_stats", {}, signal)) ?? {}
}

const METRICS: Readonly<Record<string, NonNullable<CollectionFacts["metric"]>>> = {
  cosine: "cosine",
  dotproduct: "dot",
  euclidean: "euclidean",
}

/** How the index compares, which no index changes: asked once. */
function createMetric(server: PineconeServer): (at: IndexCall) => Promise<CollectionFacts["metric"]> {
  let known: CollectionFacts["metric"] | undefined
  return async ({ signal }) => {
    if (known === undefined) known = METRICS[(await statsOf(server, signal)).metric ?? ""] ?? null
    return known
  }
}

/**
 * Words find candidates by sparse vectors, whose products Pinecone weighs by no IDF; BM25 ranks them, how rare a word is being
 * counted among them.
 */
function wordSearch(
  query: (at: IndexCall, body: object) => Promise<PineconeVector[]>,
  fetchSome: (ids: readonly string[], at: IndexCall) => Promise<PineconeVector[]>,
): NonNullable<SearchIndex["searchLexical"]> {
  return async (asked: LexicalQuery, at) => {
    const sparseVector = sparseQuestion(asked.text)
    if (sparseVector.indices.length === 0) return []
    const topK = Math.max(asked.limit, LEXICAL_DEPTH)
    const found = (await query(at, { ...listBody({ ...asked, withVectors: false }), topK, sparseVector })).map(toRecord)
    const scores = rankWords(
      asked.text,
      found.map(({ text, payload }) => ({
        content: text ?? "",
        title: typeof payload["title"] === "string" ? payload["title"] : "",
      })),
    )
    const ranked = bestFirst(found.map((record, i) => ({ ...record, score: scores[i] ?? 0 })))
    const best = ranked.filter(({ score }) => score > 0).slice(0, asked.limit)
    if (!asked.withVectors) return best
    const vectors = new Map(
      (
        await fetchSome(
          best.map(({ id }) => id),
          at,
        )
      ).map((vector) => [vector.id, toRecord(vector).vector]),
    )
    return best.map((record) => ({ ...record, vector: vectors.get(record.id) ?? null }))
  }
}

function listBody({ filter, limit, withVectors }: Omit<DenseQuery, "vector">): object {
  const translated = pineconeFilter(filter)
  return { topK: limit, includeMetadata: true, includeValues: withVectors, ...(translated && { filter: translated }) }
}

function toRecord({ id, values, metadata }: PineconeVector): IndexRecord {
  return { id, ...readMetadata(metadata), vector: values && values.length > 0 ? Float32Array.from(values) : null }
}

function bestFirst(records: ScoredRecord[]): ScoredRecord[] {
  return records.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

/** The list in parts of at most `size`. */
function batches<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}
