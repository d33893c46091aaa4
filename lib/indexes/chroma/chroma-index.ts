import { callIndex, indexUnavailable } from "../index-failure.ts"
import { createJsonClient, type JsonCall } from "../json-client.ts"
import { pathSegment } from "../path-segment.ts"
import { placeOfUrl } from "../place-of-url.ts"
import type {
  CollectionFacts,
  DenseQuery,
  IndexCall,
  IndexRecord,
  NewRecord,
  ScoredRecord,
  SearchIndex,
} from "../search-index.ts"
import { chromaFilter } from "./chroma-filter.ts"
import { type ChromaMetadata, metadataOf, payloadOf } from "./chroma-payload.ts"

export interface ChromaOptions {
  /** `http://localhost:8000`. */
  readonly url: string
  readonly apiKey: string | undefined
  readonly collection: string
}

/** Records of one request: its default is 5,461. */
const BATCH = 1_000
const DEFAULT_TENANT = "default_tenant"
const DATABASE = "default_database"

interface ChromaCollection {
  readonly id: string
  readonly dimension: number | null
  readonly configuration_json: {
    readonly hnsw?: { readonly space?: string } | null
    readonly spann?: { readonly space?: string } | null
  }
  readonly metadata: ChromaMetadata | null
}

interface GetAnswer {
  readonly ids: readonly string[]
  readonly documents: readonly (string | null)[] | null
  readonly metadatas: readonly (ChromaMetadata | null)[] | null
  readonly embeddings: readonly (readonly number[] | null)[] | null
}

type QueryAnswer = { readonly [field in keyof GetAnswer]: readonly NonNullable<GetAnswer[field]>[] | null } & {
  readonly ids: readonly (readonly string[])[]
  readonly distances: readonly (readonly (number | null)[])[]
}

/**
 * A collection of a Chroma server, 1.0 or newer, over its HTTP interface (v2). A partition is Chroma's tenant of that name. Metadata
 * is flat there: `upsert` writes objects as keys with dots, and leaves lists and null out.
 */
export function createChromaIndex({ url, apiKey, collection }: ChromaOptions): SearchIndex {
  const baseUrl = placeOfUrl(url)
  const name = `Chroma's collection ${collection} at ${baseUrl}`
  const client = createJsonClient({
    name,
    baseUrl: `${baseUrl}/api/v2`,
    // Both ways in which a server may be told to read its token.
    headers: apiKey === undefined ? {} : { "x-chroma-token": apiKey, authorization: `Bearer ${apiKey}` },
    keySetting: "CHROMA_API_KEY",
  })
  const call: JsonCall = (method, path, body, signal, missing) =>
    callIndex(name, signal, () => client(method, path, body, signal, missing))
  const collections = ({ partition }: IndexCall) =>
    `/tenants/${pathSegment(partition ?? DEFAULT_TENANT)}/databases/${DATABASE}/collections`
  const find = (at: IndexCall) =>
    call<ChromaCollection>("GET", `${collections(at)}/${pathSegment(collection)}`, undefined, at.signal, [404])
  // By id, which a collection made anew under the name doesn't share: looked up for each call (1 ms).
  const inCollection = async <T>(
    at: IndexCall,
    method: string,
    action: string,
    body?: unknown,
  ): Promise<readonly [ChromaCollection, T] | null> => {
    const found = await find(at)
    const answer = found && (await call<T>(method, `${collections(at)}/${found.id}/${action}`, body, at.signal, [404]))
    return answer === null ? null : [found as ChromaCollection, answer]
  }
  const get = async (at: IndexCall, body: object, withVectors: boolean): Promise<IndexRecord[]> => {
    const include = ["documents", "metadatas", ...(withVectors ? ["embeddings"] : [])]
    const answer = await inCollection<GetAnswer>(at, "POST", "get", { ...body, include })
    return answer ? toRecords(answer[1]) : []
  }
  return {
    engine: "chroma",
    name,
    capabilities: {
      lexical: null,
      hybrid: null,
      vectors: true,
      partitions: "tenant",
      writes: true,
      filters: ["eq", "in", "gt", "gte", "lt", "lte"],
    },
    async searchDense(query, at) {
      const answer = await inCollection<QueryAnswer>(at, "POST", "query", queryBody(query))
      return answer ? toScored(answer[1], metricOf(answer[0])) : []
    },
    fetch: (ids, at) => (ids.length === 0 ? Promise.resolve([]) : get(at, { ids }, false)),
    sample: (count, at) => get(at, { limit: count }, true),
    count: async (at) => (await inCollection<number>(at, "GET", "count"))?.[1] ?? 0,
    async describe(at): Promise<CollectionFacts | null> {
      const found = await find(at)
      return found && { dimensions: found.dimension, metric: metricOf(found) }
    },
    async health(signal) {
      await call("GET", "/heartbeat", undefined, signal)
      // The heartbeat asks for no key, this does.
      await call("GET", "/auth/identity", undefined, signal)
    },
    close: () => Promise.resolve(),
    ...writing({ call, collections, inCollection, name, collection }),
  }
}

interface Writing {
  readonly call: JsonCall
  readonly collections: (at: IndexCall) => string
  readonly inCollection: <T>(
    at: IndexCall,
    method: string,
    action: string,
    body?: unknown,
  ) => Promise<readonly [ChromaCollection, T] | null>
  readonly name: string
  readonly collection: string
}

function writing({
  call,
  collections,
  inCollection,
  name,
  collection,
}: Writing): Required<Pick<SearchIndex, "upsert" | "delete" | "ensureCollection" | "reset">> {
  return {
    async upsert(records, at) {
      for (let i = 0; i < records.length; i += BATCH) {
        const batch = records.slice(i, i + BATCH)
        const old = await inCollection<GetAnswer>(at, "POST", "get", {
          ids: batch.map(({ id }) => id),
          include: ["metadatas"],
        })
        const known = new Map(old?.[1].ids.map((id, j) => [id, old[1].metadatas?.[j] ?? null]))
        const written = await inCollection(at, "POST", "upsert", upsertBody(batch, known))
        if (!written) throw indexUnavailable(name, "isn't there. Make it first.")
      }
    },
    async delete(ids, at) {
      for (let i = 0; i < ids.length; i += BATCH)
        await inCollection(at, "POST", "delete", { ids: ids.slice(i, i + BATCH) })
    },
    async ensureCollection(_dimensions, at) {
      if (at.partition !== null) {
        await call("POST", "/tenants", { name: at.partition }, at.signal, [409])
        await call("POST", `/tenants/${pathSegment(at.partition)}/databases`, { name: DATABASE }, at.signal, [409])
      }
      const configuration = { hnsw: { space: "cosine" } }
      await call("POST", collections(at), { name: collection, get_or_create: true, configuration }, at.signal)
    },
    async reset(at) {
      await call("DELETE", `${collections(at)}/${pathSegment(collection)}`, undefined, at.signal, [404])
    },
  }
}

function queryBody({ vector, limit, filter, withVectors }: DenseQuery): object {
  return {
    ...chromaFilter(filter),
    query_embeddings: [Array.from(vector)],
    n_results: limit,
    include: ["documents", "metadatas", "distances", ...(withVectors ? ["embeddings"] : [])],
  }
}

/** An update keeps the keys that it doesn't name; null takes one away. */
function upsertBody(records: readonly NewRecord[], known: ReadonlyMap<string, ChromaMetadata | null>): object {
  return {
    ids: records.map(({ id }) => id),
    embeddings: records.map(({ vector }) => Array.from(vector)),
    documents: records.map(({ text }) => text),
    metadatas: records.map(({ id, payload }) => {
      const gone = Object.keys(known.get(id) ?? {}).map((key) => [key, null])
      const metadata = { ...Object.fromEntries(gone), ...metadataOf(payload) }
      return Object.keys(metadata).length === 0 ? null : metadata
    }),
  }
}

function metricOf({
  configuration_json: { hnsw, spann },
  metadata,
}: ChromaCollection): NonNullable<CollectionFacts["metric"]> {
  const space = hnsw?.space ?? spann?.space ?? metadata?.["hnsw:space"] ?? "l2"
  return space === "cosine" ? "cosine" : space === "ip" ? "dot" : "euclidean"
}

function toRecords({ ids, documents, metadatas, embeddings }: GetAnswer): IndexRecord[] {
  return ids.map((id, i) => {
    const vector = embeddings?.[i]
    return {
      id,
      text: documents?.[i] ?? null,
      payload: payloadOf(metadatas?.[i] ?? null),
      vector: vector ? Float32Array.from(vector) : null,
    }
  })
}

/** Distances are 1 less the product, or squared Euclidean ones. */
function toScored(answer: QueryAnswer, metric: CollectionFacts["metric"]): ScoredRecord[] {
  const { ids, documents, metadatas, embeddings, distances } = answer
  const lists = {
    ids: ids[0] ?? [],
    documents: documents?.[0] ?? null,
    metadatas: metadatas?.[0] ?? null,
    embeddings: embeddings?.[0] ?? null,
  }
  const similarity = (distance: number) => (metric === "euclidean" ? 1 - distance / 2 : 1 - distance)
  return toRecords(lists)
    .map((record, i) => ({ ...record, score: similarity(distances[0]?.[i] ?? 2) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}
