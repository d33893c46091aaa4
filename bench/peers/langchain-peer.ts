import pg from "pg"
import { diskOf } from "./disk.ts"
import { fuseByRank, type Peer } from "./peer.ts"

/** What is used of `@langchain/community/vectorstores/pgvector`. */
interface PgVector {
  readonly PGVectorStore: { initialize(embeddings: object, config: object): Promise<Store> }
}
interface Document {
  readonly pageContent: string
  readonly metadata: { readonly document: string }
}
interface Store {
  addVectors(vectors: readonly (readonly number[])[], documents: readonly Document[]): Promise<unknown>
  createHnswIndex(options: { dimensions: number }): Promise<void>
  similaritySearchVectorWithScore(vector: readonly number[], k: number): Promise<readonly [Document, number][]>
  end(): Promise<void>
}

const PACKAGE = "@langchain/community/vectorstores/pgvector"

// As HybridSearchConfig of langchain-postgres (Python) asks: all words, ts_rank_cd. The store of JavaScript has none.
const BY_WORDS = `
  select metadata ->> 'document' as document from passages
   where to_tsvector('english', text) @@ plainto_tsquery('english', $1)
   order by ts_rank_cd(to_tsvector('english', text), plainto_tsquery('english', $1)) desc limit $2`

/** LangChain's PGVectorStore with its HNSW index; `dense` is the class as it is, `hybrid` adds by hand PostgreSQL's text search over its table, by RRF. */
export const langchain: Peer = {
  ways: ["hybrid", "dense"],
  kind: "server",
  onPostgres: true,
  async open({ url, dimensions }) {
    if (url === undefined) throw new Error("langchain needs --database")
    const { PGVectorStore } = (await import(PACKAGE)) as PgVector
    const pool = new pg.Pool({ connectionString: url })
    // The default of 40 would cut its lists to 40.
    pool.on("connect", (client) => {
      client.query("set hnsw.ef_search = 100").catch(() => {})
    })
    const store = await PGVectorStore.initialize({}, { pool, tableName: "passages", dimensions })
    const dense = async (vector: Float32Array, depth: number) =>
      (await store.similaritySearchVectorWithScore([...vector], depth)).map(([{ metadata }]) => metadata.document)
    return {
      async index(rows) {
        const documents = rows.map(({ title, text, document }) => {
          return { pageContent: `${title}\n${text}`, metadata: { document } }
        })
        await store.addVectors(
          rows.map(({ vector }) => [...vector]),
          documents,
        )
      },
      async ready() {
        await store.createHnswIndex({ dimensions })
        await pool.query("create index on passages using gin (to_tsvector('english', text))")
        await pool.query("vacuum analyze passages")
      },
      async search({ text, vector }, way, depth) {
        const listed = Math.max(depth, 100)
        if (way === "dense") return dense(vector, depth)
        const [near, byWords] = await Promise.all([
          dense(vector, listed),
          pool.query<{ document: string }>(BY_WORDS, [text, listed]),
        ])
        return fuseByRank([near, byWords.rows.map(({ document }) => document)], depth)
      },
      diskBytes: () => diskOf(url),
      close: () => store.end(),
    }
  },
}
