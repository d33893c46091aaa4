import { AppError } from "../../errors.ts"
import type { CollectionFacts, IndexRecord, NewRecord, ScoredRecord } from "../search-index.ts"
import { sparsePassage } from "../sparse-words.ts"
import { TEXT_KEY, takeText } from "../stored-text.ts"

/** Qdrant's ids are UUIDs and whole numbers. */
export type QdrantId = string | number

/** The sparse vector that `upsert` writes and `searchLexical` asks: weights of this product's own words. */
export const WORDS_VECTOR = "concordance_words"

/** One point of an answer. */
export interface QdrantPoint {
  readonly id: QdrantId
  readonly score?: number
  readonly payload?: Readonly<Record<string, unknown>> | null
  readonly vector?: unknown
}

interface VectorParams {
  readonly size: number
  readonly distance: string
  readonly multivector_config?: object | null
}

/** `GET /collections/{name}`, as far as it is read. */
export interface QdrantCollection {
  readonly config: {
    readonly params: {
      readonly vectors?: VectorParams | Readonly<Record<string, VectorParams>>
      readonly sparse_vectors?: Readonly<Record<string, unknown>> | null
    }
  }
}

/** Which of a collection's vectors is searched. */
export interface QdrantVectors {
  /** Null: the collection has one, without a name. */
  readonly using: string | null
  readonly size: number
  readonly metric: NonNullable<CollectionFacts["metric"]>
  readonly hasWords: boolean
}

const METRICS: Readonly<Record<string, QdrantVectors["metric"]>> = { Cosine: "cosine", Dot: "dot", Euclid: "euclidean" }

/**
 * The collection's vector of that name; without a name its only one. Throws `invalid_configuration` where there is none such, or
 * several to choose from, and where it is of many vectors a point or compared by Manhattan distance.
 */
export function chooseVector({ config }: QdrantCollection, wanted: string | undefined, name: string): QdrantVectors {
  const { vectors = {}, sparse_vectors } = config.params
  const hasWords = Object.hasOwn(sparse_vectors ?? {}, WORDS_VECTOR)
  const named: Readonly<Record<string, VectorParams>> =
    typeof (vectors as VectorParams).size === "number"
      ? { "": vectors as VectorParams }
      : (vectors as Record<string, VectorParams>)
  const single = Object.keys(named).filter((key) => !named[key]?.multivector_config)
  const key = wanted ?? (single.length === 1 ? single[0] : undefined)
  const params = key === undefined || !Object.hasOwn(named, key) ? undefined : named[key]
  if (key === undefined || !params) {
    const there = single.length === 0 ? "none" : single.map((one) => one || "one without a name").join(", ")
    const asked = wanted === undefined ? "Set QDRANT_VECTOR" : `QDRANT_VECTOR is ${wanted}; set it`
    throw new AppError("invalid_configuration", `${name} has these vectors: ${there}. ${asked} to the one to search.`)
  }
  const metric = METRICS[params.distance]
  if (!metric || params.multivector_config) {
    const problem = metric ? "holds several vectors a point" : `is compared by ${params.distance} distance`
    throw new AppError(
      "invalid_configuration",
      `The vector ${key || "without a name"} of ${name} ${problem}, which can't be searched here.`,
    )
  }
  return { using: key === "" ? null : key, size: params.size, metric, hasWords }
}

/** An id as Qdrant takes it; null for one that it couldn't have given, and so has no point of. */
export function pointId(id: string): QdrantId | null {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id
  const number = /^(0|[1-9]\d{0,15})$/.test(id) ? Number(id) : Number.NaN
  return Number.isSafeInteger(number) ? number : null
}

/** Points as records. Throws `index_unavailable` for a numeric id above 2^53, which JSON in JavaScript rounds. */
export function toRecords(points: readonly QdrantPoint[], { using }: QdrantVectors, name: string): IndexRecord[] {
  return points.map(({ id, payload, vector }) => {
    if (typeof id === "number" && !Number.isSafeInteger(id)) {
      throw new AppError(
        "index_unavailable",
        `${name} has ids above 2^53, which can't be read here exactly. Use UUIDs.`,
      )
    }
    return { id: String(id), ...takeText(payload ?? {}), vector: readVector(vector, using) }
  })
}

/** Euclidean distances as the cosine of unit vectors. Best first; ties by id. */
export function toScored(
  points: readonly QdrantPoint[],
  vectors: QdrantVectors,
  name: string,
  isDistance: boolean,
): ScoredRecord[] {
  const scoreOf = ({ score = 0 }: QdrantPoint) => (isDistance ? 1 - score ** 2 / 2 : score)
  return toRecords(points, vectors, name)
    .map((record, i) => ({ ...record, score: scoreOf(points[i] as QdrantPoint) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

/** A collection that also has sparse vectors gives its nameless one under the name ``. */
function readVector(vector: unknown, using: string | null): Float32Array | null {
  const found = Array.isArray(vector) ? vector : (vector as Record<string, unknown> | null | undefined)?.[using ?? ""]
  return Array.isArray(found) && typeof found[0] === "number" ? Float32Array.from(found as number[]) : null
}

/** A record as a point. */
export function toPoint(record: NewRecord, { using, hasWords }: QdrantVectors): object {
  const dense = Array.from(record.vector)
  const words = hasWords ? sparsePassage(record) : null
  const named = { [using ?? ""]: dense, ...(words && words.indices.length > 0 && { [WORDS_VECTOR]: words }) }
  return {
    id: record.id,
    vector: using === null && !hasWords ? dense : named,
    payload: { ...record.payload, [TEXT_KEY]: record.text },
  }
}
