import { AppError } from "../../errors.ts"
import { indexUnavailable } from "../index-failure.ts"
import type {
  DenseQuery,
  IndexCall,
  IndexCapabilities,
  IndexRecord,
  LexicalQuery,
  ScoredRecord,
  SearchIndex,
} from "../search-index.ts"
import { sparseQuestion } from "../sparse-words.ts"
import { type Access, type Answer, openAccess, type QdrantOptions } from "./qdrant-access.ts"
import { qdrantFilter } from "./qdrant-filter.ts"
import {
  pointId,
  type QdrantPoint,
  type QdrantVectors,
  toPoint,
  toRecords,
  toScored,
  WORDS_VECTOR,
} from "./qdrant-records.ts"

/** Points of one request: of 1,024 dimensions they take 10 MB, and Qdrant takes 32. */
const BATCH = 500

/**
 * A collection of a Qdrant server, over REST. Its sparse vectors are asked only where Concordance wrote them: those of others are
 * of vocabularies (SPLADE's, fastembed's BM25) that a question would have to be told in. Payloads are kept as they are, with the
 * text under `concordance_text`.
 */
export function createQdrantIndex(options: QdrantOptions): SearchIndex {
  const access = openAccess(options)
  const { name, path, call, vectorsOf } = access
  const query = async (at: IndexCall, isDistance: boolean, body: (vectors: QdrantVectors) => object) => {
    const vectors = await vectorsOf(at)
    if (!vectors) return []
    const found = await call<Answer<{ points: QdrantPoint[] }>>(
      "POST",
      `${path}/points/query`,
      body(vectors),
      at.signal,
      [404],
    )
    return toScored(found?.result.points ?? [], vectors, name, isDistance && vectors.metric === "euclidean")
  }
  const read = async (
    at: IndexCall,
    action: string,
    body: object,
  ): Promise<readonly [QdrantPoint[], QdrantVectors] | null> => {
    const vectors = await vectorsOf(at)
    const found =
      vectors &&
      (await call<Answer<QdrantPoint[] | { points: QdrantPoint[] }>>(
        "POST",
        `${path}/${action}`,
        body,
        at.signal,
        [404],
      ))
    return found ? [Array.isArray(found.result) ? found.result : found.result.points, vectors as QdrantVectors] : null
  }
  const records = async (at: IndexCall, action: string, body: object): Promise<IndexRecord[]> => {
    const found = await read(at, action, body)
    return found ? toRecords(...found, name) : []
  }
  return {
    engine: "qdrant",
    name,
    capabilities: capabilitiesOf(options),
    searchDense: (asked, at) =>
      query(at, true, (vectors) => ({ ...listBody(asked, vectors), ...denseQuery(asked, vectors) })),
    ...(options.hasWords && wordSearch(query, name)),
    fetch(ids, at) {
      const known = [...new Set(ids)].map(pointId).filter((id) => id !== null)
      if (known.length === 0) return Promise.resolve([])
      return records(at, "points", { ids: known, with_payload: true, with_vector: false })
    },
    sample: (count, at) => records(at, "points/scroll", { limit: count, with_payload: true, with_vector: true }),
    async count(at) {
      const found = await call<Answer<{ count: number }>>(
        "POST",
        `${path}/points/count`,
        { exact: true },
        at.signal,
        [404],
      )
      return found?.result.count ?? 0
    },
    async describe(at) {
      const vectors = await vectorsOf(at)
      return vectors && { dimensions: vectors.size, metric: vectors.metric }
    },
    // Asks for a key, and takes one that is for this collection alone.
    health: async (signal) => void (await call("GET", `${path}/exists`, undefined, signal)),
    close: () => Promise.resolve(),
    ...writing(access, options.hasWords),
  }
}

function capabilitiesOf({ hasWords }: QdrantOptions): IndexCapabilities {
  return {
    lexical: hasWords ? "BM25 by sparse vectors" : null,
    hybrid: hasWords ? "RRF, k = 2" : null,
    vectors: true,
    partitions: null,
    writes: true,
    filters: ["eq", "in", "gt", "gte", "lt", "lte"],
  }
}

type Query = (at: IndexCall, isDistance: boolean, body: (vectors: QdrantVectors) => object) => Promise<ScoredRecord[]>

function wordSearch(query: Query, name: string): Required<Pick<SearchIndex, "searchLexical" | "searchHybrid">> {
  const requireWords = ({ hasWords }: QdrantVectors) => {
    if (hasWords) return
    throw new AppError(
      "invalid_configuration",
      `${name} has no sparse vector ${WORDS_VECTOR}. Set QDRANT_SPARSE to false: a collection has it where Concordance made it with QDRANT_SPARSE=true.`,
    )
  }
  return {
    async searchLexical(asked, at) {
      const words = wordQuery(asked)
      if (!words) return []
      return query(at, false, (vectors) => {
        requireWords(vectors)
        return { ...listBody(asked, vectors), ...words }
      })
    },
    searchHybrid: (asked, at) =>
      query(at, false, (vectors) => {
        requireWords(vectors)
        const { filter, ...list } = listBody(asked, vectors)
        const arms = [denseQuery(asked, vectors), wordQuery(asked)].filter((arm) => arm !== null)
        const prefetch = arms.map((arm) => ({ ...arm, limit: asked.limit, ...(filter && { filter }) }))
        return { ...list, prefetch, query: { fusion: "rrf" } }
      }),
  }
}

function listBody({ filter, limit, withVectors }: Omit<DenseQuery, "vector">, { using }: QdrantVectors) {
  const translated = qdrantFilter(filter)
  const wanted = using === null ? true : [using]
  return {
    limit,
    with_payload: true,
    with_vector: withVectors ? wanted : false,
    ...(translated && { filter: translated }),
  }
}

function denseQuery({ vector }: DenseQuery, { using }: QdrantVectors): object {
  return { query: Array.from(vector), ...(using !== null && { using }) }
}

/** Null of a question that is of stop words alone. */
function wordQuery({ text }: LexicalQuery): object | null {
  const words = sparseQuestion(text)
  return words.indices.length === 0 ? null : { query: words, using: WORDS_VECTOR }
}

function writing(
  { name, path, call, vectorsOf, forget }: Access,
  hasWords: boolean,
): Required<Pick<SearchIndex, "upsert" | "delete" | "ensureCollection" | "reset">> {
  return {
    async upsert(records, at) {
      const vectors = await vectorsOf(at)
      if (!vectors) throw indexUnavailable(name, "isn't there. Make it first.")
      for (let i = 0; i < records.length; i += BATCH) {
        const points = records.slice(i, i + BATCH).map((record) => toPoint(record, vectors))
        await call("PUT", `${path}/points?wait=true`, { points }, at.signal)
      }
    },
    async delete(ids, at) {
      const points = ids.map(pointId).filter((id) => id !== null)
      if (points.length > 0) await call("POST", `${path}/points/delete?wait=true`, { points }, at.signal, [404])
    },
    async ensureCollection(dimensions, at) {
      forget()
      if (await vectorsOf(at)) return
      const body = {
        vectors: { size: dimensions, distance: "Cosine" },
        ...(hasWords && { sparse_vectors: { [WORDS_VECTOR]: { modifier: "idf" } } }),
      }
      // 409: somebody else made it meanwhile.
      await call("PUT", path, body, at.signal, [409])
    },
    async reset(at) {
      await call("DELETE", path, undefined, at.signal, [404])
      forget()
    },
  }
}
