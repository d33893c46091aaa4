import { StatementError } from "../../database/statement-error.ts"
import { callIndex, indexUnavailable } from "../index-failure.ts"
import type { IndexCall, SearchIndex } from "../search-index.ts"
import type { PgAccess, RunSql } from "./pg-access.ts"
import { nearestRows, rowsOf, someRows, wordedRows } from "./pg-statements.ts"
import { describeTable, type PgNames, type PgTable } from "./pg-table.ts"
import { createWordQueries } from "./pg-words.ts"
import { writeTable } from "./pg-write.ts"

/**
 * A table of vectors in somebody's PostgreSQL, as it is: the operator is that of its index, the payload its JSON column and every
 * other column. With a tsvector column words are ranked by BM25 over the whole table. The table is looked up when it is first
 * needed, and again after a statement that it no longer fits.
 */
export function createPgvectorIndex(access: PgAccess, names: PgNames): SearchIndex {
  const name = `pgvector's table ${names.table} at ${access.address}`
  const wordQuery = createWordQueries(names.textConfig)
  let known: PgTable | null = null
  const tableOf = async (run: RunSql): Promise<PgTable | null> => {
    const table = known ?? (await describeTable(run, names))
    // One without vectors may be given some.
    known = table?.facts.dimensions == null ? null : table
    return table
  }
  const guarded = <T>(signal: AbortSignal, work: (run: RunSql) => Promise<T>, write = false): Promise<T> =>
    callIndex(name, signal, () =>
      access.transaction(work, signal, { write }).catch((error: unknown) => {
        if (!(error instanceof StatementError)) throw error
        known = null
        throw indexUnavailable(name, `refused the statement (SQLSTATE ${error.sqlState}).`, error)
      }),
    )
  const reading = <T>({ signal }: IndexCall, none: T, work: (run: RunSql, table: PgTable) => Promise<T>): Promise<T> =>
    guarded(signal, async (run) => {
      const table = await tableOf(run)
      return table ? work(run, table) : none
    })
  const searchLexical: SearchIndex["searchLexical"] = (query, call) =>
    reading(call, [], async (run, table) => {
      const words = await wordQuery(run, table, query.text)
      return words ? wordedRows(run, table, query, words) : []
    })
  return {
    engine: "pgvector",
    name,
    capabilities: {
      lexical: names.tsvector === null ? null : "BM25",
      hybrid: null,
      vectors: true,
      partitions: null,
      writes: true,
      filters: ["eq", "in", "gt", "gte", "lt", "lte", "exists"],
    },
    searchDense: (query, call) => reading(call, [], (run, table) => nearestRows(run, table, query)),
    ...(names.tsvector !== null && { searchLexical }),
    fetch: (ids, call) => reading(call, [], (run, table) => rowsOf(run, table, ids)),
    sample: (count, call) => reading(call, [], (run, table) => someRows(run, table, count)),
    count: (call) =>
      reading(call, 0, async (run, { name }) => {
        const [row] = await run(`select count(*)::float8 as n from ${name}`)
        return Number(row?.["n"] ?? 0)
      }),
    describe: ({ signal }) => guarded(signal, async (run) => (await tableOf(run))?.facts ?? null),
    health: (signal) => guarded(signal, async (run) => void (await run("select 1"))),
    close: () => access.close(),
    ...writeTable(names, guarded, () => {
      known = null
    }),
  }
}
