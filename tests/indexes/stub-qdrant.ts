import { dot, normalized } from "../../lib/vector.ts"
import { type ContractRequest, openContracts } from "./contract.ts"
import { matchesQdrant } from "./stub-qdrant-filter.ts"
import { type StubServer, startStub, textOf } from "./stub-server.ts"

export type JsonObject = Record<string, unknown>

interface Sparse {
  readonly indices: readonly number[]
  readonly values: readonly number[]
}

interface Point {
  readonly id: string | number
  readonly dense: ReadonlyMap<string, readonly number[]>
  readonly sparse: ReadonlyMap<string, ReadonlyMap<number, number>>
  readonly payload: JsonObject
}

interface Collection {
  readonly vectors: Readonly<Record<string, { readonly size: number; readonly distance: string }>>
  readonly sparse: Readonly<Record<string, { readonly modifier?: string }>>
  /** As it was sent: what `GET` shows. */
  readonly params: JsonObject
  readonly points: Map<string | number, Point>
}

interface Hit {
  readonly point: Point
  readonly score: number
}

class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const KEY = "right-key"

/** Qdrant's REST interface over exact search in memory, held to its contract. Its key is `right-key`. */
export function startQdrantStub(): Promise<StubServer> {
  const collections = new Map<string, Collection>()
  const failure = (_: number, message: string) => ({ status: { error: message }, time: 0.001 })
  return startStub({
    contracts: openContracts("qdrant", "qdrant/openapi.json"),
    isAllowed: (headers) => headers["api-key"] === KEY,
    refusal: failure,
    handle(request) {
      try {
        return { status: 200, body: { result: answer(collections, request), status: "ok", time: 0.001 } }
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        return { status: error.status, body: failure(error.status, error.message) }
      }
    },
  })
}

function answer(collections: Map<string, Collection>, { method, path, body }: ContractRequest): unknown {
  const [, , encoded = "", ...rest] = path.split("/")
  const name = decodeURIComponent(encoded)
  const action = `${method} ${rest.join("/")}`
  if (action === "GET exists") return { exists: collections.has(name) }
  if (action === "PUT ") {
    if (collections.has(name)) throw new Refused(409, "exists")
    collections.set(name, createCollection(body as JsonObject))
    return true
  }
  if (action === "DELETE ") return collections.delete(name)
  const collection = collections.get(name)
  if (!collection) throw new Refused(404, "Not found")
  return inCollection(collection, action, body as JsonObject)
}

function inCollection(collection: Collection, action: string, body: JsonObject): unknown {
  const { points } = collection
  const all = () => [...points.values()].sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
  switch (action) {
    case "GET ":
      return info(collection)
    case "PUT points":
      for (const point of body["points"] as JsonObject[]) put(collection, point)
      return { operation_id: 1, status: "completed" }
    case "POST points":
      return (body["ids"] as (string | number)[])
        .flatMap((id) => points.get(id) ?? [])
        .map((point) => shown(point, body))
    case "POST points/delete":
      for (const id of body["points"] as (string | number)[]) points.delete(id)
      return { operation_id: 1, status: "completed" }
    case "POST points/scroll":
      return {
        points: all()
          .slice(0, Number(body["limit"] ?? 10))
          .map((point) => shown(point, body)),
        next_page_offset: null,
      }
    case "POST points/count":
      return { count: points.size }
    case "POST points/query":
      return {
        points: query(collection, body).map(({ point, score }) => ({ ...shown(point, body), version: 1, score })),
      }
    default:
      throw new Refused(404, "unknown")
  }
}

function createCollection(body: JsonObject): Collection {
  const vectors = body["vectors"] as JsonObject
  return {
    vectors: (typeof vectors["size"] === "number" ? { "": vectors } : vectors) as Collection["vectors"],
    sparse: (body["sparse_vectors"] ?? {}) as Collection["sparse"],
    params: { vectors, ...(body["sparse_vectors"] !== undefined && { sparse_vectors: body["sparse_vectors"] }) },
    points: new Map(),
  }
}

function info({ params, points }: Collection): unknown {
  return {
    status: "green",
    optimizer_status: "ok",
    points_count: points.size,
    segments_count: 1,
    payload_schema: {},
    config: {
      params,
      hnsw_config: { m: 16, ef_construct: 100, full_scan_threshold: 10_000 },
      optimizer_config: {
        deleted_threshold: 0.2,
        vacuum_min_vector_number: 1_000,
        default_segment_number: 0,
        flush_interval_sec: 5,
      },
    },
  }
}

/** Replaces the point as a whole. A vector of cosine is kept at length 1. */
function put({ vectors, sparse, points }: Collection, { id, vector, payload }: JsonObject): void {
  const named = (Array.isArray(vector) ? { "": vector } : vector) as Record<string, number[] | Sparse>
  const point = {
    id: id as string,
    dense: new Map<string, number[]>(),
    sparse: new Map<string, Map<number, number>>(),
    payload: payload as JsonObject,
  }
  for (const [name, value] of Object.entries(named)) {
    if (Array.isArray(value)) {
      const { size, distance } = vectors[name] ?? refuse(400, `Not existing vector name error: ${name}`)
      if (value.length !== size) refuse(400, `Vector dimension error: expected dim: ${size}, got ${value.length}`)
      point.dense.set(name, distance === "Cosine" ? Array.from(normalized(value)) : value)
    } else {
      if (!sparse[name]) refuse(400, `Not existing vector name error: ${name}`)
      point.sparse.set(name, new Map(value.indices.map((index, i) => [index, value.values[i] as number])))
    }
  }
  points.set(point.id, point)
}

function refuse(status: number, message: string): never {
  throw new Refused(status, message)
}

function shown({ id, payload, dense, sparse }: Point, { with_payload, with_vector }: JsonObject): JsonObject {
  const names = Array.isArray(with_vector)
    ? with_vector
    : with_vector === true
      ? [...dense.keys(), ...sparse.keys()]
      : []
  const toSparse = (vector: ReadonlyMap<number, number>) => ({
    indices: [...vector.keys()],
    values: [...vector.values()],
  })
  const named = Object.fromEntries(
    names.map((name) => [name, dense.get(name) ?? toSparse(sparse.get(name) ?? new Map())]),
  )
  const isNameless = names.length === 1 && names[0] === ""
  return {
    id,
    ...(with_payload !== false && { payload }),
    ...(names.length > 0 && { vector: isNameless ? named[""] : named }),
  }
}

function query(collection: Collection, body: JsonObject): Hit[] {
  const limit = Number(body["limit"] ?? 10)
  const asked = body["query"] as JsonObject | number[]
  if (!Array.isArray(asked) && "fusion" in asked) {
    const lists = (body["prefetch"] as JsonObject[]).map((arm) => query(collection, arm))
    return fuse(lists).slice(0, limit)
  }
  const using = textOf(body["using"])
  const filter = body["filter"] as JsonObject | undefined
  const points = [...collection.points.values()]
  const hits = Array.isArray(asked)
    ? nearest(collection, points, using, asked)
    : weighted(collection, points, using, asked as unknown as Sparse)
  return hits.filter(({ point }) => matchesQdrant(filter, point.id, point.payload)).slice(0, limit)
}

function nearest({ vectors }: Collection, points: readonly Point[], using: string, asked: readonly number[]): Hit[] {
  const { size, distance } = vectors[using] ?? refuse(400, `Not existing vector name error: ${using}`)
  if (asked.length !== size) refuse(400, `Vector dimension error: expected dim: ${size}, got ${asked.length}`)
  const question = distance === "Cosine" ? normalized(asked) : asked
  const isDistance = distance === "Euclid"
  const hits = points.flatMap((point) => {
    const vector = point.dense.get(using)
    if (!vector) return []
    const score = isDistance
      ? Math.hypot(...vector.map((value, i) => value - (question[i] as number)))
      : dot(question, vector)
    return [{ point, score }]
  })
  return hits.sort((a, b) => (isDistance ? a.score - b.score : b.score - a.score))
}

/** Products of sparse vectors, each dimension by its IDF where the vector has that modifier; points that share none are left out. */
function weighted({ sparse }: Collection, points: readonly Point[], using: string, asked: Sparse): Hit[] {
  const { modifier } = sparse[using] ?? refuse(400, `Not existing vector name error: ${using}`)
  const having = (index: number) => points.filter((point) => point.sparse.get(using)?.has(index)).length
  const weights = asked.indices.map((index, i) => {
    const n = having(index)
    const idf = modifier === "idf" ? Math.log(1 + (points.length - n + 0.5) / (n + 0.5)) : 1
    return [index, (asked.values[i] as number) * idf] as const
  })
  const hits = points.flatMap((point) => {
    const vector = point.sparse.get(using)
    const shared = weights.filter(([index]) => vector?.has(index))
    return shared.length === 0
      ? []
      : [{ point, score: shared.reduce((sum, [index, weight]) => sum + weight * (vector?.get(index) ?? 0), 0) }]
  })
  return hits.sort((a, b) => b.score - a.score)
}

/** Reciprocal rank fusion as Qdrant has it: 1 / (2 + rank), the first rank being 0. */
function fuse(lists: readonly (readonly Hit[])[]): Hit[] {
  const scores = new Map<Point, number>()
  for (const list of lists)
    for (const [rank, { point }] of list.entries()) scores.set(point, (scores.get(point) ?? 0) + 1 / (2 + rank))
  return [...scores].map(([point, score]) => ({ point, score })).sort((a, b) => b.score - a.score)
}
