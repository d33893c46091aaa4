import { setTimeout as sleep } from "node:timers/promises"
import type { Database, Row, Statement, UnitOptions } from "../database/database.ts"
import { StatementError } from "../database/statement-error.ts"
import { invalidField } from "../errors.ts"
import { tooManyAtOnce } from "../overload.ts"
import type { Region, Translation } from "../shapes.ts"
import { normalized, vectorFromBase64, vectorToSql } from "../vector.ts"
import type { Candidate, Passage } from "./candidate.ts"
import { filterToJsonpath } from "./filter.ts"
import type { CandidateQuery, Correction, FindCandidates, QueryVector } from "./find-candidates.ts"
import { DEFAULT_ALPHA, type Tuning, UNTUNED } from "./tuning.ts"

/** About how many chunks are scored by their words: those with a rare lexeme, or a pair. */
const CANDIDATE_BUDGET = 4_000

const SPACES = `select model, dimensions, state = 'active' as active from embedding_spaces where state <> 'building' order by id`

/** What the tenant was tuned to is read by the statement that needs it: it costs no round trip and is never old. */
const CANDIDATES = `
  select p.*, t.alpha as tuned_alpha, t.reranker as tuned_reranker, t.rerank_share as tuned_share
    from search_tuning($3::text) t
   cross join lateral search_passages($1::text, $2::text, $3::text, $4::text::halfvec, $5::text,
     coalesce($6::float8, t.alpha, ${DEFAULT_ALPHA}), $7::int, $8::boolean, $9::text::jsonpath, $10::int, $11::int,
     ${CANDIDATE_BUDGET}, $12::int, $13::int, $14::boolean, $15::boolean, $16::boolean) p`

/** In the same transaction as the search, so that it costs no round trip and a killed process keeps nothing. */
const TAKE_PLACE = "select take_search_place($1::int)"
/** `take_search_place` found all of them taken. */
const NO_PLACE = "CC429"
/** A search that finds no place asks again after so long, and after twice and four times that, ms: most take 20. */
const PLACE_WAIT_MS = 60
const PLACE_TRIES = 4

interface CandidatesOptions {
  /** Searches of a tenant that the database may have under way at once, of all processes together; undefined: any number. */
  readonly placesMax?: number | undefined
}

/**
 * Both lists from Concordance's own database, in one round trip; a second one tells why there is none by meaning. Throws
 * `invalid_request` when the caller's vector has the dimensions of no space of the tenant's, `too_many_at_once`.
 */
export function databaseCandidates(database: Database, { placesMax }: CandidatesOptions = {}): FindCandidates {
  // The embedded database does one thing at a time anyway.
  const rank = placesMax === undefined || database.driver === "pglite" ? rankAtOnce : inPlace(placesMax)
  return async (tenant, query, timeoutMs) => {
    const rows = await rank(database, tenant, candidatesStatement(query), { timeoutMs })
    const found = rows as unknown as CandidateRow[]
    const candidates = toCandidates(found)
    const corrections = found.flatMap((row) => row.corrections ?? [])
    // One that was compared shows that they can be; only without any is there something to ask.
    const comparable =
      query.nearestTo !== null &&
      (candidates.some(({ similarity }) => similarity !== null) ||
        isComparable(await readSpaces(database, tenant, timeoutMs), query.nearestTo))
    return { candidates, comparable, corrections, tuning: found[0] ? toTuning(found[0]) : UNTUNED }
  }
}

type Rank = (database: Database, tenant: string, statement: Statement, options: UnitOptions) => Promise<Row[]>

const rankAtOnce: Rank = async (database, tenant, statement, options) =>
  (await database.batch({ tenant }, [statement], options))[0] ?? []

function inPlace(placesMax: number): Rank {
  const takePlace = { text: TAKE_PLACE, values: [placesMax] }
  return async (database, tenant, statement, options) => {
    const began = performance.now()
    for (let tried = 1; ; tried++) {
      try {
        return (await database.batch({ tenant }, [takePlace, statement], options))[1] ?? []
      } catch (error) {
        if (!(error instanceof StatementError) || error.sqlState !== NO_PLACE) throw error
        const waitMs = PLACE_WAIT_MS * 2 ** (tried - 1) * (0.5 + Math.random())
        const leftMs = (options.timeoutMs ?? Infinity) - (performance.now() - began)
        if (tried === PLACE_TRIES || waitMs > leftMs / 2) throw tooManyAtOnce(placesMax)
        await sleep(waitMs)
      }
    }
  }
}

async function readSpaces(database: Database, tenant: string, timeoutMs: number): Promise<readonly SpaceRow[]> {
  const [spaces = []] = await database.batch({ tenant }, [{ text: SPACES }], { timeoutMs })
  return spaces as unknown as SpaceRow[]
}

function candidatesStatement(query: CandidateQuery): Statement {
  const { nearestTo } = query
  return {
    text: CANDIDATES,
    values: [
      query.query,
      query.language ?? null,
      nearestTo?.model ?? null,
      nearestTo ? vectorToSql(nearestTo.vector) : null,
      query.strategy,
      query.alpha,
      query.rrfK,
      query.byDocument,
      query.filter ? filterToJsonpath(query.filter) : null,
      query.denseDepth,
      query.lexicalDepth,
      query.wanted,
      query.passages,
      query.vectors,
      query.parents,
      query.highlights,
    ],
  }
}

/** A row of `SPACES`. */
interface SpaceRow {
  readonly model: string
  readonly dimensions: number
  readonly active: boolean
}

function isComparable(all: readonly SpaceRow[], { vector, model, fromCaller }: QueryVector): boolean {
  // As `comparable_space` has it: what was retired is there for who names it.
  const matches = ({ dimensions, active, ...space }: SpaceRow): boolean =>
    dimensions === vector.length && (model === undefined ? active : space.model === model)
  if (all.some(matches)) return true
  const spaces = all.filter(({ active }) => active)
  // A tenant without vectors has nothing that the caller's could contradict.
  if (!fromCaller || spaces.length === 0) return false
  const known = spaces.map((space) => `${space.dimensions} (${space.model})`).join(", ")
  const given = model === undefined ? `${vector.length} dimensions` : `${vector.length} dimensions of ${model}`
  throw invalidField("embedding", `has ${given}; the vectors stored here have ${known}`)
}

/** A row of `CANDIDATES`; the columns of the passage are null past the first `passages`, and where it came before. */
interface CandidateRow {
  readonly key: string
  readonly document_id: string
  readonly chunk_id: string
  readonly similarity: number | null
  readonly dense_rank: number | null
  readonly bm25: number | null
  readonly lexical_rank: number | null
  readonly shown_id: string
  readonly title: string
  readonly content: string | null
  readonly chunk_language: string
  readonly metadata: Record<string, unknown>
  readonly regions: readonly Region[]
  readonly page: number | null
  readonly matching_words: readonly string[] | null
  readonly version: string | null
  readonly has_picture: boolean
  readonly translation: Translation | null
  readonly kind: Passage["kind"]
  readonly anomalies: readonly string[]
  readonly vector: string | null
  /** Of the first place alone. */
  readonly corrections: readonly Correction[] | null
  readonly tuned_alpha: number | null
  readonly tuned_reranker: string | null
  readonly tuned_share: number | null
}

function toTuning(row: CandidateRow): Tuning {
  return { alpha: row.tuned_alpha, reranker: row.tuned_reranker, rerankShare: row.tuned_share }
}

function toCandidates(rows: readonly CandidateRow[]): Candidate[] {
  const shown = (row: CandidateRow): string => JSON.stringify([row.document_id, row.shown_id])
  const passages = new Map<string, Passage>()
  for (const row of rows) if (row.content !== null) passages.set(shown(row), toPassage(row, row.content))
  return rows.map((row) => toCandidate(row, passages.get(shown(row)) ?? null))
}

function toCandidate(row: CandidateRow, passage: Passage | null): Candidate {
  return {
    key: row.key,
    documentId: row.document_id,
    chunkId: row.chunk_id,
    shownId: row.shown_id,
    similarity: row.similarity,
    denseRank: row.dense_rank,
    bm25: row.bm25,
    lexicalRank: row.lexical_rank,
    passage,
    vector: row.vector === null ? null : normalized(vectorFromBase64(row.vector)),
  }
}

function toPassage(row: CandidateRow, content: string): Passage {
  return {
    title: row.title,
    content,
    language: row.chunk_language,
    metadata: row.metadata,
    regions: row.regions,
    page: row.page,
    matchingWords: row.matching_words,
    translation: row.translation,
    version: row.version,
    hasPicture: row.has_picture,
    kind: row.kind,
    anomalies: row.anomalies,
  }
}
