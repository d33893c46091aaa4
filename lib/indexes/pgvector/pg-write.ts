import { vectorToSql } from "../../vector.ts"
import { indexUnavailable } from "../index-failure.ts"
import type { NewRecord, SearchIndex } from "../search-index.ts"
import type { RunSql } from "./pg-access.ts"
import { describeTable, type PgNames, type PgTable, quoted, quotedTable } from "./pg-table.ts"

/** Rows of one statement. */
const BATCH = 500

type Guarded = <T>(signal: AbortSignal, work: (run: RunSql) => Promise<T>, write?: boolean) => Promise<T>

/**
 * The writing side of a table: `ensureCollection` makes one with a text id and, where its name is set, a tsvector column that
 * PostgreSQL keeps, with a GIN index. Vectors are scanned exactly until its owner builds an HNSW index, best once they are
 * there. Into a table of one's own `upsert` writes the four named columns alone.
 *
 * @param forget told that what is known of the table may have changed
 */
export function writeTable(
  names: PgNames,
  guarded: Guarded,
  forget: () => void,
): Required<Pick<SearchIndex, "upsert" | "delete" | "ensureCollection" | "reset">> {
  const table = quotedTable(names.table)
  return {
    upsert: (records, { signal }) =>
      guarded(
        signal,
        async (run) => {
          const described = await describeTable(run, names)
          if (!described) throw indexUnavailable(`The table ${names.table}`, "isn't there. Make it first.")
          for (let i = 0; i < records.length; i += BATCH)
            await upsert(run, described, names, records.slice(i, i + BATCH))
          forget()
        },
        true,
      ),
    delete: (ids, { signal }) =>
      guarded(
        signal,
        async (run) => {
          if (await describeTable(run, names))
            await run(`delete from ${table} where ${quoted(names.id)}::text = any($1::text[])`, [ids])
        },
        true,
      ),
    ensureCollection: (dimensions, { signal }) =>
      guarded(
        signal,
        async (run) => {
          await run("create extension if not exists vector")
          await run(createTable(names, dimensions))
          if (names.tsvector !== null) await run(createWordIndex(names, names.tsvector))
          forget()
        },
        true,
      ),
    reset: ({ signal }) =>
      guarded(
        signal,
        async (run) => {
          await run(`drop table if exists ${table}`)
          forget()
        },
        true,
      ),
  }
}

function createTable(names: PgNames, dimensions: number): string {
  const { id, content, embedding, metadata, tsvector, textConfig } = names
  const words =
    tsvector === null
      ? ""
      : `, ${quoted(tsvector)} tsvector generated always as (to_tsvector('${textConfig.replaceAll("'", "''")}'::regconfig, ${quoted(content)})) stored`
  return `create table if not exists ${quotedTable(names.table)} (
    ${quoted(id)} text primary key, ${quoted(content)} text not null, ${quoted(embedding)} vector(${Number(dimensions)}) not null,
    ${quoted(metadata)} jsonb not null default '{}'${words})`
}

function createWordIndex({ table }: PgNames, tsvector: string): string {
  const name = quoted(`${table.split(".").at(-1)}_words_idx`)
  return `create index if not exists ${name} on ${quotedTable(table)} using gin (${quoted(tsvector)})`
}

async function upsert(
  run: RunSql,
  { metadata, idType, vectorType }: PgTable,
  names: PgNames,
  records: readonly NewRecord[],
): Promise<void> {
  const columns = [names.id, names.content, names.embedding, ...(metadata === null ? [] : [names.metadata])].map(quoted)
  const updates = columns.slice(1).map((column) => `${column} = excluded.${column}`)
  await run(
    `insert into ${quotedTable(names.table)} (${columns.join(", ")})
     select n.id::${idType}, n.content, n.embedding::${vectorType}${metadata === null ? "" : ", n.metadata::jsonb"}
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) n (id, content, embedding, metadata)
     on conflict (${columns[0]}) do update set ${updates.join(", ")}`,
    [
      records.map(({ id }) => id),
      records.map(({ text }) => text),
      records.map(({ vector }) => vectorToSql(vector)),
      records.map(({ payload }) => JSON.stringify(payload)),
    ],
  )
}
