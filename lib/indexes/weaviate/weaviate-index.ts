import { matchesFilter } from "../filter-clause.ts"
import { callIndex, indexUnavailable } from "../index-failure.ts"
import { createJsonClient, type JsonCall } from "../json-client.ts"
import { placeOfUrl } from "../place-of-url.ts"
import type { IndexCall, IndexFilter, IndexRecord, ScoredRecord, SearchIndex } from "../search-index.ts"
import { takeText } from "../stored-text.ts"
import { classNameOf, readClass, tenantOf, UUID, type WeaviateClass, type WeaviateSchema } from "./weaviate-class.ts"
import { weaviateFilter } from "./weaviate-filter.ts"
import { bm25, countQuery, type GetQuery, getQuery, hybrid, nearVector } from "./weaviate-graphql.ts"
import { writeWeaviate } from "./weaviate-write.ts"

export interface WeaviateOptions {
  /** `http://localhost:8080`. */
  readonly url: string
  readonly apiKey: string | undefined
  readonly collection: string
  /** Which of the class's named vectors; undefined: the only one. */
  readonly vector: string | undefined
  /** Whether the class is divided into tenants. */
  readonly isDivided: boolean
}

/** How long a class's properties are taken to be what they were, ms: others may add some. */
const KNOWN_MS = 60_000
/** Most objects that Weaviate gives by default, and how much longer a list gets where its filter let others through. */
const RESULTS_MAX = 10_000
const WIDENING = 4
const FETCH_BATCH = 100
/** The tenant of a call that names none, where the class is divided. */
const DEFAULT_TENANT = "default"

/** What requests to one class share. */
export interface WeaviateAccess {
  readonly name: string
  readonly className: string
  readonly call: JsonCall
  readonly isDivided: boolean
  tenant(at: IndexCall): string | null
  /** Null where there is no such class. */
  classOf(at: IndexCall): Promise<WeaviateClass | null>
  hasTenant(at: IndexCall): Promise<boolean>
  forget(): void
}

type Found = Readonly<Record<string, unknown>> & {
  readonly _additional: {
    readonly id: string
    readonly distance?: number | null
    readonly score?: string | null
    readonly vector?: readonly number[] | null
    readonly vectors?: Readonly<Record<string, readonly number[] | null>> | null
  }
}

/**
 * A class of a Weaviate server, over REST and GraphQL: gRPC, which its own client speaks, has another address, and brings 27 MB of
 * packages. A partition is its tenant; a class that isn't divided has none. Properties have types: `upsert` makes each of the type
 * that it first sees, and leaves out values of another, objects, null, and names that aren't of ASCII with a small first letter.
 */
export function createWeaviateIndex(options: WeaviateOptions): SearchIndex {
  const access = openAccess(options)
  const { name, call, classOf } = access
  const get = createGet(access)
  const sample: SearchIndex["sample"] = (count, at) => list(get, at, { filter: [], limit: count, withVectors: true })
  return {
    engine: "weaviate",
    name,
    capabilities: {
      lexical: "BM25",
      hybrid: "RRF, k = 60",
      vectors: true,
      partitions: options.isDivided ? "tenant" : null,
      writes: true,
      filters: ["eq", "in", "gt", "gte", "lt", "lte"],
    },
    searchDense: (query, at) => get(at, query, (found) => ({ search: nearVector(query, found), measure: "distance" })),
    searchLexical: (query, at) => get(at, query, (found) => ({ search: bm25(query, found), measure: "score" })),
    searchHybrid: (query, at) => get(at, query, (found) => ({ search: hybrid(query, found), measure: "score" })),
    async fetch(ids, at) {
      const known = [...new Set(ids)].filter((id) => UUID.test(id))
      const lists: IndexRecord[][] = []
      for (let i = 0; i < known.length; i += FETCH_BATCH) {
        const value = known.slice(i, i + FETCH_BATCH)
        const filter = [{ field: "id", path: [], operator: "in" as const, value }]
        lists.push(await list(get, at, { filter, limit: value.length, withVectors: false }))
      }
      return lists.flat()
    },
    sample,
    async count(at) {
      if (!(await classOf(at))) return 0
      const found = await ask<{ Aggregate: Record<string, { meta: { count: number } }[]> }>(
        access,
        at,
        countQuery(access.className, access.tenant(at)),
      )
      return found?.Aggregate[access.className]?.[0]?.meta.count ?? 0
    },
    async describe(at) {
      const found = await classOf(at)
      if (!found || !(await access.hasTenant(at))) return null
      // A class doesn't say how long its vectors are; an object does.
      const [first] = await sample(1, at)
      return { dimensions: first?.vector?.length ?? null, metric: found.metric }
    },
    // Whether it is ready it tells anybody; this it doesn't.
    health: async (signal) => void (await call("GET", "/meta", undefined, signal)),
    close: () => Promise.resolve(),
    ...writeWeaviate(access),
  }
}

function openAccess({ url, apiKey, collection, vector, isDivided }: WeaviateOptions): WeaviateAccess {
  const baseUrl = placeOfUrl(url)
  const className = classNameOf(collection)
  const name = `Weaviate's collection ${className} at ${baseUrl}`
  const client = createJsonClient({
    name,
    baseUrl: `${baseUrl}/v1`,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    keySetting: "WEAVIATE_API_KEY",
  })
  const call: JsonCall = (method, path, body, signal, missing) =>
    callIndex(name, signal, () => client(method, path, body, signal, missing))
  const tenant = ({ partition }: IndexCall) => (isDivided ? tenantOf(partition ?? DEFAULT_TENANT) : null)
  let known: { readonly found: WeaviateClass; readonly until: number } | null = null
  return {
    name,
    className,
    call,
    isDivided,
    tenant,
    async classOf({ signal }) {
      if (known && performance.now() < known.until) return known.found
      const schema = await call<WeaviateSchema>("GET", `/schema/${className}`, undefined, signal, [404])
      if (!schema) return null
      const found = readClass(schema, className, { vector, isDivided }, name)
      known = { found, until: performance.now() + KNOWN_MS }
      return found
    },
    async hasTenant(at) {
      const wanted = tenant(at)
      if (wanted === null) return true
      return (await call("GET", `/schema/${className}/tenants/${wanted}`, undefined, at.signal, [404])) !== null
    },
    forget() {
      known = null
    },
  }
}

/** Null where the tenant isn't there. Throws `index_unavailable` for what Weaviate refuses; its words may hold the question. */
async function ask<T>(access: WeaviateAccess, at: IndexCall, query: string): Promise<T | null> {
  const answer = await access.call<{ data?: T | null; errors?: unknown[] | null }>(
    "POST",
    "/graphql",
    { query },
    at.signal,
  )
  if (answer?.data && !answer.errors?.length) return answer.data
  access.forget()
  if (!(await access.hasTenant(at))) return null
  throw indexUnavailable(access.name, "refused the query. Its log says why.")
}

type Get = (
  at: IndexCall,
  query: { readonly filter: IndexFilter; readonly limit: number; readonly withVectors: boolean },
  searching: (found: WeaviateClass) => Pick<GetQuery, "search" | "measure">,
) => Promise<ScoredRecord[]>

/** Objects in no order. */
async function list(get: Get, at: IndexCall, query: Parameters<Get>[1]): Promise<IndexRecord[]> {
  const found = await get(at, query, () => ({ search: undefined, measure: undefined }))
  return found.map(({ score: _, ...record }) => record)
}

function createGet(access: WeaviateAccess): Get {
  return async (at, { filter, limit, withVectors }, searching) => {
    const found = await access.classOf(at)
    if (!found) return []
    const { where, isLoose } = weaviateFilter(filter, found)
    if (where === null) return []
    const { search, measure } = searching(found)
    for (let depth = limit; ; depth = Math.min(RESULTS_MAX, depth * WIDENING)) {
      const query = { limit: depth, withVectors, where, tenant: access.tenant(at), search, measure }
      const answer = await ask<{ Get: Record<string, Found[] | null> }>(access, at, getQuery(found, query))
      const objects = answer?.Get[found.className] ?? []
      const records = toRecords(objects, found)
      const matching = isLoose ? records.filter((record) => matchesFilter(filter, record)) : records
      if (matching.length >= limit || objects.length < depth || depth >= RESULTS_MAX) return matching.slice(0, limit)
    }
  }
}

/** Distances as similarities: 1 less it of cosine, the negated product of dot, the square of Euclidean. Best first; ties by id. */
function toRecords(objects: readonly Found[], { metric, vectorName }: WeaviateClass): ScoredRecord[] {
  const similarity = (distance: number) =>
    metric === "dot" ? -distance : 1 - distance / (metric === "euclidean" ? 2 : 1)
  const records = objects.map(({ _additional: { id, distance, score, vector, vectors }, ...properties }) => {
    const values = vectorName === null ? vector : vectors?.[vectorName]
    return {
      id,
      ...takeText(withoutNull(properties)),
      vector: values && values.length > 0 ? Float32Array.from(values) : null,
      score: typeof distance === "number" ? similarity(distance) : Number(score ?? 0),
    }
  })
  return records.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

/** GraphQL answers null for each property that an object hasn't. */
function withoutNull(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(entries.map(([key, one]) => [key, isObject(one) ? withoutNull(one) : one]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
