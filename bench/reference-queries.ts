import type { OwnerDatabase, OwnerSession } from "../lib/database/database.ts"
import { vectorToSql } from "../lib/vector.ts"

interface TextRankTime {
  readonly ms: number
  /** Whether the plan finds the chunks by the GIN index on their lexemes: otherwise the time says little. */
  readonly byIndex: boolean
}

/** What the product's lists are held against, asked as the owner of the tables, whom row-level security doesn't slow. */
export interface ReferenceQueries {
  /** How long `ts_rank_cd` took for the best 100 of the chunks with any lexeme of the question. */
  timeTextRank(tenant: string, question: string): Promise<TextRankTime>
  /** The ten best chunks by BM25 of all that the tenant has, as `document#chunk`. */
  exhaustiveLexical(tenant: string, question: string): Promise<string[]>
  /** The ten nearest chunks of all that the tenant has. */
  exactDense(tenant: string, model: string, vector: Float32Array): Promise<string[]>
}

const ANY_LEXEME = `
  select string_agg(concordance.quote_lexeme(lexeme), '|') as any_lexeme from unnest(concordance.lexemes('en', $1))`

const TEXT_RANK = `
  select document_id, id, ts_rank_cd(lexemes, $2::tsquery) as rank from concordance.chunks
   where source_account_id = $1 and lexemes @@ $2::tsquery
   order by rank desc limit 100`

const EXHAUSTIVE_LEXICAL = `
  select c.document_id || '#' || c.id as id
    from concordance.chunks c, concordance.lexical_query($2) q
   where c.source_account_id = $1 and c.searchable and c.bm25 <#> q.weights < 0
   order by c.bm25 <#> q.weights, c.document_id, c.id limit 10`

// No index is on the bare column, so that every vector is compared.
const EXACT_DENSE = `
  select c.document_id || '#' || c.id as id
    from concordance.embeddings e
    join concordance.chunks c on c.source_account_id = e.source_account_id and c.key = e.chunk_key
   where e.source_account_id = $1
     and e.space_id = (select s.id from concordance.embedding_spaces s where s.source_account_id = $1 and s.model = $2)
   order by e.embedding <=> $3::text::halfvec, c.document_id, c.id limit 10`

/** The reference queries over the owner's way into the database. */
export function createReferenceQueries(owner: OwnerDatabase): ReferenceQueries {
  const inTransaction = <T>(work: (session: OwnerSession) => Promise<T>): Promise<T> =>
    owner.session((session) => session.transaction(() => work(session)))
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  return {
    timeTextRank: (tenant, question) =>
      inTransaction(async (session) => {
        const [row] = await session.query<{ any_lexeme: string | null }>(ANY_LEXEME, [question])
        if (!row?.any_lexeme) return { ms: 0, byIndex: true }
        const values = [tenant, row.any_lexeme]
        // A small tenant's rows may look cheaper to find by the primary key.
        for (const setting of ["enable_seqscan", "enable_indexscan", "jit"]) {
          await session.query(`set local ${setting} = off`)
        }
        // This also warms the session's caches: what is timed next is the query alone.
        const plan = await session.query(`explain ${TEXT_RANK}`, values)
        const start = performance.now()
        await session.query(TEXT_RANK, values)
        return { ms: performance.now() - start, byIndex: JSON.stringify(plan).includes("chunks_lexemes") }
      }),
    exhaustiveLexical: (tenant, question) =>
      inTransaction(async (session) => {
        await session.query("select set_config('app.source_account_id', $1, true)", [tenant])
        return ids(await session.query<{ id: string }>(EXHAUSTIVE_LEXICAL, [tenant, question]))
      }),
    exactDense: (tenant, model, vector) =>
      inTransaction(async (session) =>
        ids(await session.query<{ id: string }>(EXACT_DENSE, [tenant, model, vectorToSql(vector)])),
      ),
  }
}
