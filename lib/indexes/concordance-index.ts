import type { Database, Row } from "../database/database.ts"
import type { Candidate } from "../search/candidate.ts"
import { databaseCandidates } from "../search/database-candidates.ts"
import type { Filter } from "../search/filter.ts"
import type { CandidateQuery } from "../search/find-candidates.ts"
import { vectorFromBase64 } from "../vector.ts"
import { cannotFilter } from "./filter-clause.ts"
import type {
  DenseQuery,
  IndexCall,
  IndexClause,
  IndexFilter,
  IndexRecord,
  LexicalQuery,
  ScoredRecord,
  SearchIndex,
} from "./search-index.ts"

const DEFAULT_TENANT = "primary"
/** For who asks without a deadline of the SQL's own, ms. */
const TIMEOUT_MS = 60_000

const RECORDS = `
  select c.key::text as id, c.content, c.title, c.document_id, c.id as chunk_id, c.parent_id, c.language, c.first_page as page, c.metadata,
         (select encode(halfvec_send(e.embedding), 'base64') from embeddings e where e.chunk_key = c.key order by e.space_id limit 1) as vector
    from chunks c`
const DESCRIBED = "select dimensions from embedding_spaces where state = 'active' order by id limit 1"

/**
 * Concordance's own chunks as a `SearchIndex`, for `index-check` and comparisons: searches go by `databaseCandidates`, which
 * has both lists in one round trip. A partition is a tenant; an id is a chunk's key. Nothing is written by this way.
 */
export function createConcordanceIndex(database: Database): SearchIndex {
  const find = databaseCandidates(database)
  const tenantOf = ({ partition }: IndexCall) => partition ?? DEFAULT_TENANT
  const list = async (
    asked: Partial<CandidateQuery> & Pick<CandidateQuery, "strategy">,
    query: Omit<DenseQuery, "vector">,
    call: IndexCall,
  ) => {
    const filter = toFilter(query.filter)
    const lists = {
      ...LIST,
      ...asked,
      filter,
      denseDepth: query.limit,
      lexicalDepth: query.limit,
      wanted: query.limit,
      passages: query.limit,
    }
    return (await find(tenantOf(call), { ...lists, vectors: query.withVectors }, TIMEOUT_MS)).candidates
  }
  const rows = async (
    text: string,
    values: readonly (readonly string[] | number)[],
    call: IndexCall,
  ): Promise<Row[]> => {
    const [found = []] = await database.batch({ tenant: tenantOf(call) }, [{ text, values: [...values] }])
    return found
  }
  return {
    engine: "concordance",
    name: "Concordance's own index",
    capabilities: {
      lexical: "BM25",
      hybrid: null,
      vectors: true,
      partitions: "tenant",
      writes: false,
      filters: ["eq", "in", "gt", "gte", "lt", "lte", "exists"],
    },
    async searchDense(query, call) {
      const nearestTo = { vector: query.vector, model: undefined, fromCaller: true }
      return scored(await list({ strategy: "semantic", nearestTo }, query, call), ({ similarity }) => similarity)
    },
    async searchLexical(query: LexicalQuery, call) {
      return scored(await list({ strategy: "lexical", query: query.text }, query, call), ({ bm25 }) => bm25)
    },
    async fetch(ids, call) {
      const keys = ids.filter((id) => /^\d{1,18}$/.test(id))
      return (await rows(`${RECORDS} where c.key = any($1::bigint[])`, [keys], call)).map((row) => toRecord(row, false))
    },
    sample: async (count, call) =>
      (await rows(`${RECORDS} where c.searchable order by c.key limit $1::int`, [count], call)).map((row) =>
        toRecord(row, true),
      ),
    async count(call) {
      const [row] = await rows("select count(*)::float8 as n from chunks where searchable", [], call)
      return Number(row?.["n"] ?? 0)
    },
    async describe(call) {
      const [row] = await rows(DESCRIBED, [], call)
      return { dimensions: (row?.["dimensions"] as number | undefined) ?? null, metric: "cosine" }
    },
    health: () => database.ping(),
    close: () => Promise.resolve(),
  }
}

/** A list alone: no fusion, no grouping, nothing besides the passages. */
const LIST: Omit<CandidateQuery, "strategy" | "filter"> = {
  query: "",
  language: undefined,
  nearestTo: null,
  alpha: 0.5,
  rrfK: 60,
  byDocument: false,
  denseDepth: 0,
  lexicalDepth: 0,
  wanted: 0,
  passages: 0,
  vectors: false,
  parents: false,
  highlights: false,
}

/** The clauses back in the words of a caller: the SQL translates those. */
function toFilter(clauses: IndexFilter): Filter | undefined {
  const filter: Record<string, Record<string, unknown>> = {}
  for (const clause of clauses) {
    const field = fieldOf(clause)
    const condition = filter[field] ?? {}
    filter[field] = condition
    if (clause.operator in condition)
      throw cannotFilter({ engine: "concordance" }, clause, "it is asked twice of one field")
    condition[clause.operator] = clause.value
  }
  return clauses.length === 0 ? undefined : (filter as Filter)
}

function fieldOf(clause: IndexClause): string {
  const [first, ...rest] = clause.path
  if (first === "metadata" && rest.length > 0) return rest.join(".")
  if (rest.length === 0 && (first === "document_id" || first === "language")) return first
  throw cannotFilter({ engine: "concordance" }, clause, "it is no field of the metadata")
}

function toRecord(row: Row, withVector: boolean): IndexRecord {
  const { id, content, vector, ...payload } = row
  return {
    id: String(id),
    text: String(content),
    payload,
    vector: withVector && typeof vector === "string" ? vectorFromBase64(vector) : null,
  }
}

function scored(candidates: readonly Candidate[], scoreOf: (candidate: Candidate) => number | null): ScoredRecord[] {
  return candidates
    .flatMap((candidate) => {
      const { key: id, documentId, chunkId, passage, vector } = candidate
      const score = scoreOf(candidate)
      if (score === null || !passage) return []
      const { content, title, language, page, metadata } = passage
      return [
        {
          id,
          text: content,
          payload: { document_id: documentId, chunk_id: chunkId, title, language, page, metadata },
          vector,
          score,
        },
      ]
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}
