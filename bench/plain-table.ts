import type { OwnerSession, SqlValue } from "../lib/database/database.ts"

/** What LangChain's PGVectorStore would be given of a chunk. */
export interface PlainRow {
  readonly content: string
  readonly vector: ArrayLike<number>
}

/** Rows of one statement: PGVectorStore's `chunkSize`. */
const ROWS_PER_STATEMENT = 500
const NAME = "public.concordance_bench_plain"

/** A table as PGVectorStore makes it, but for halves in place of single floats, and filled as it does: no words, no tenants. */
export interface PlainTable {
  insert(rows: readonly PlainRow[]): Promise<void>
  buildIndex(): Promise<void>
  drop(): Promise<void>
}

/**
 * Text, metadata as JSON and a vector, by INSERTs of 500 rows, each committed by itself, as `PGVectorStore.addVectors` of
 * @langchain/community sends them. Its HNSW index has the defaults, as ours has.
 */
export async function createPlainTable(session: OwnerSession, dimensions: number): Promise<PlainTable> {
  const drop = () => session.query(`drop table if exists ${NAME}`)
  await drop()
  await session.query(
    `create table ${NAME} (id uuid primary key default gen_random_uuid(), text text, metadata jsonb, embedding halfvec(${dimensions}))`,
  )
  return {
    async insert(rows) {
      for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
        const part = rows.slice(start, start + ROWS_PER_STATEMENT)
        const places = part.map((_, i) => `($${3 * i + 1}, $${3 * i + 2}, $${3 * i + 3})`)
        const values = part.flatMap(({ content, vector }): SqlValue[] => [
          content,
          JSON.stringify({ source: "bench" }),
          `[${Array.from(vector).join(",")}]`,
        ])
        await session.query(`insert into ${NAME} (text, metadata, embedding) values ${places.join(", ")}`, values)
      }
    },
    async buildIndex() {
      await session.query(`create index on ${NAME} using hnsw (embedding halfvec_cosine_ops)`)
    },
    async drop() {
      await drop()
    },
  }
}
