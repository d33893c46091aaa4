import type { Database, Row } from "../../database/database.ts"
import type { Embedder } from "../../inference/inference.ts"
import { bootstrapMean, type Judgements, type MeanInterval, ndcg, overlap } from "../../relevance-metrics.ts"
import { vectorToSql } from "../../vector.ts"

/** Hits that count. */
const DEPTH = 10
/** Chunks that are looked at for so many documents. */
const CHUNKS = 100
/** Questions embedded at once. */
const QUESTIONS_PER_BATCH = 32

const NEAREST =
  "select document_id from dense_candidates($1, $2::text::halfvec, null, null, $3) order by similarity desc, chunk_key"

const TITLES = `
  select id, title from documents where status = 'ready' and title <> '' order by md5(id), id limit $1`

/** What is asked; the id is shown, the text never is. */
export interface ComparedQuery {
  readonly id: string
  readonly text: string
}

/** A space and its model. */
export interface ComparedSpace {
  readonly id: number
  readonly embedder: Embedder
}

export interface Comparison {
  readonly queries: number
  /** Share of the first ten documents of one that the other has too, 0–1. */
  readonly overlap: MeanInterval
  /** Those that differ most, worst first. */
  readonly worst: readonly { readonly id: string; readonly overlap: number }[]
  /** nDCG@10 of both over the judged queries, and of their differences (after − before). */
  readonly ndcg?: { readonly before: MeanInterval; readonly after: MeanInterval; readonly gain: MeanInterval }
}

const WORST = 5

/** Asks a tenant's two spaces the same, by meaning alone, and says how far they agree. Throws what models and database throw. */
export async function compareSpaces(
  database: Database,
  tenant: string,
  spaces: { readonly before: ComparedSpace; readonly after: ComparedSpace },
  queries: readonly ComparedQuery[],
  judgements?: ReadonlyMap<string, Judgements>,
): Promise<Comparison> {
  const before = await findAll(database, tenant, spaces.before, queries)
  const after = await findAll(database, tenant, spaces.after, queries)
  const overlaps = queries.map(({ id }, i) => ({ id, overlap: overlap(before[i] ?? [], after[i] ?? []) }))
  const scoresOf = (found: readonly (readonly string[])[]) =>
    queries.flatMap(({ id }, i) => {
      const judged = judgements?.get(id)
      return judged ? [ndcg(found[i] ?? [], judged, DEPTH)] : []
    })
  const [scoresBefore, scoresAfter] = [scoresOf(before), scoresOf(after)]
  return {
    queries: queries.length,
    overlap: bootstrapMean(overlaps.map((each) => each.overlap)),
    worst: overlaps.toSorted((a, b) => a.overlap - b.overlap).slice(0, WORST),
    ...(judgements && {
      ndcg: {
        before: bootstrapMean(scoresBefore),
        after: bootstrapMean(scoresAfter),
        gain: bootstrapMean(scoresAfter.map((score, i) => score - (scoresBefore[i] ?? 0))),
      },
    }),
  }
}

/** The first ten documents of each query. */
async function findAll(
  database: Database,
  tenant: string,
  { id, embedder }: ComparedSpace,
  queries: readonly ComparedQuery[],
): Promise<string[][]> {
  const found: string[][] = []
  for (let i = 0; i < queries.length; i += QUESTIONS_PER_BATCH) {
    const texts = queries.slice(i, i + QUESTIONS_PER_BATCH).map(({ text }) => text)
    const { vectors } = await embedder.embed(texts, "query")
    for (const vector of vectors) {
      const statement = { text: NEAREST, values: [id, vectorToSql(vector), CHUNKS] }
      const [rows = []] = await database.batch({ tenant }, [statement])
      found.push([...new Set(rows.map((row: Row) => String(row["document_id"])))].slice(0, DEPTH))
    }
  }
  return found
}

/** Titles of the tenant's documents as queries, the same ones each time. */
export async function sampleTitles(database: Database, tenant: string, most: number): Promise<ComparedQuery[]> {
  const [rows = []] = await database.batch({ tenant }, [{ text: TITLES, values: [most] }])
  return rows.map((row) => ({ id: String(row["id"]), text: String(row["title"]) }))
}
