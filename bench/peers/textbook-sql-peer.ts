import pg from "pg"
import { diskOf } from "./disk.ts"
import type { Peer } from "./peer.ts"

const TABLE = `
  create extension if not exists vector;
  create table passages (
    id bigint primary key generated always as identity, document text not null, content text not null,
    fts tsvector generated always as (to_tsvector('english', content)) stored, embedding vector(DIMENSIONS))`
const INDEXES = `
  create index on passages using gin (fts);
  create index on passages using hnsw (embedding vector_ip_ops)`

const INSERT = `
  insert into passages (document, content, embedding)
  select * from unnest($1::text[], $2::text[], $3::text[]::vector[])`

// Both lists by rank, fused in SQL: Supabase's guide to hybrid search, with k = 60 and lists of 100.
const search = (query: string): string => `
  with query as (select ${query} as terms),
  words as (
    select id, row_number() over (order by ts_rank_cd(fts, terms) desc) as rank from passages, query
     where fts @@ terms order by rank limit $3),
  near as (
    select id, row_number() over (order by distance) as rank
      from (select id, embedding <#> $2::vector as distance from passages order by distance limit $3) nearest)
  select p.document from words full join near using (id) join passages p using (id)
   order by coalesce(1.0 / (60 + words.rank), 0) + coalesce(1.0 / (60 + near.rank), 0) desc limit $4`

/** `any word` finds more than the guide's own query, which wants all of a question's words in a passage. */
const QUERIES: Readonly<Record<string, string>> = {
  "any word": "replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery",
  "all words": "websearch_to_tsquery('english', $1)",
}

/** What a guide to hybrid search in PostgreSQL says: `ts_rank_cd`, HNSW, and RRF in one statement. */
export const textbookSql: Peer = {
  ways: Object.keys(QUERIES),
  kind: "server",
  onPostgres: true,
  async open({ url, dimensions }) {
    if (url === undefined) throw new Error("textbook-sql needs --database")
    const pool = new pg.Pool({ connectionString: url })
    pool.on("connect", (client) => {
      client.query("set hnsw.ef_search = 100").catch(() => {})
    })
    await pool.query(TABLE.replace("DIMENSIONS", String(dimensions)))
    return {
      async index(rows) {
        const vectors = rows.map(({ vector }) => `[${vector.join(",")}]`)
        const texts = rows.map(({ title, text }) => `${title}\n${text}`)
        await pool.query(INSERT, [rows.map(({ document }) => document), texts, vectors])
      },
      async ready() {
        await pool.query(INDEXES)
        await pool.query("vacuum analyze passages")
      },
      async search({ text, vector }, way, depth) {
        const values = [text, `[${vector.join(",")}]`, Math.max(100, depth), depth]
        const { rows } = await pool.query<{ document: string }>(search(QUERIES[way] ?? ""), values)
        return rows.map(({ document }) => document)
      },
      diskBytes: () => diskOf(url),
      close: () => pool.end(),
    }
  },
}
