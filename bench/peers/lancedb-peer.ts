import { folderBytes } from "./disk.ts"
import { EXACT_ROWS_MAX, type Peer } from "./peer.ts"

/** What is used of `@lancedb/lancedb`, which stands in this folder's own package. */
interface LanceDb {
  connect(folder: string): Promise<{
    createTable(name: string, rows: readonly object[]): Promise<Table>
  }>
  readonly Index: {
    fts(): unknown
    hnswSq(options: { distanceType: "cosine" }): unknown
  }
  readonly rerankers: { readonly RRFReranker: { create(k?: number): Promise<unknown> } }
}
interface Table {
  add(rows: readonly object[]): Promise<unknown>
  createIndex(column: string, options: { readonly config: unknown }): Promise<void>
  optimize(): Promise<unknown>
  query(): { nearestTo(vector: Float32Array): Query }
}
interface Query {
  distanceType(type: "cosine"): Query
  fullTextSearch(text: string): Query
  rerank(reranker: unknown): Query
  select(columns: readonly string[]): Query
  limit(count: number): Query
  toArray(): Promise<{ readonly document: string }[]>
}

const PACKAGE = "@lancedb/lancedb"

/** LanceDB: its full-text index (BM25, stemmed) and its vectors, fused by its own reranker (RRF). */
export const lancedb: Peer = {
  ways: ["hybrid"],
  kind: "embedded",
  async open({ folder }) {
    const lance = (await import(PACKAGE)) as LanceDb
    const connection = await lance.connect(folder)
    const reranker = await lance.rerankers.RRFReranker.create()
    let table: Table | undefined
    let indexed = 0
    return {
      async index(rows) {
        const records = rows.map(({ id, document, title, text, vector }) => ({
          id,
          document,
          text: `${title}\n${text}`,
          vector: [...vector],
        }))
        if (table) await table.add(records)
        else table = await connection.createTable("passages", records)
        indexed += rows.length
      },
      async ready() {
        await table?.createIndex("text", { config: lance.Index.fts() })
        if (indexed > EXACT_ROWS_MAX)
          await table?.createIndex("vector", { config: lance.Index.hnswSq({ distanceType: "cosine" }) })
        await table?.optimize()
      },
      async search({ text, vector }, _way, depth) {
        const query = table?.query().nearestTo(vector).distanceType("cosine").fullTextSearch(text)
        const found = await query?.rerank(reranker).select(["document", "text"]).limit(depth).toArray()
        return (found ?? []).map(({ document }) => document)
      },
      diskBytes: () => folderBytes(folder),
      close: () => Promise.resolve(),
    }
  },
}
