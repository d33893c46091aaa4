import { LRUCache } from "lru-cache"
import { BM25 } from "../word-ranking.ts"
import type { RunSql } from "./pg-access.ts"
import type { SqlParameters } from "./pg-filter.ts"
import type { PgTable } from "./pg-table.ts"

/** Rows that the rarest words may bring up to be scored: 2,000 of 200 words take 60 ms. */
const CANDIDATES = 2_000
/** A word in more rows than this is counted as in this many: what is counted is read. */
const COUNT_MAX = 50_000
const COUNTS_KEPT = 10_000
const COUNTS_KEPT_MS = 600_000

/** Different words of a question that are looked up, each by a count of its own: those of two long sentences. */
const LEXEMES_MAX = 64

/** A lexeme of the question: how often it stands there, and in how many rows. */
interface AskedLexeme {
  readonly lexeme: string
  readonly times: number
  readonly rows: number
}

/** What a statement scores rows by. */
export interface WordQuery {
  /** As a tsquery: rows with one of the rarest. */
  readonly matching: string
  readonly lexemes: readonly string[]
  /** IDF times count, one a lexeme. */
  readonly weights: readonly number[]
}

const LEXEMES = `
  select lexeme, coalesce(cardinality(positions), 1)::int as times
    from unnest(to_tsvector($1::text::regconfig, $2::text)) order by times desc, lexeme limit ${LEXEMES_MAX}`

/** Counts of a table's words, kept for ten minutes. Null of a question whose words are stop words, or stand nowhere. */
export function createWordQueries(config: string) {
  const counts = new LRUCache<string, number>({ max: COUNTS_KEPT, ttl: COUNTS_KEPT_MS })
  const kept = async (key: string, count: () => Promise<number>): Promise<number> => {
    const known = counts.get(key) ?? (await count())
    counts.set(key, known)
    return known
  }
  return async (run: RunSql, table: PgTable, text: string): Promise<WordQuery | null> => {
    const found = (await run(LEXEMES, [config, text])) as unknown as { lexeme: string; times: number }[]
    const total = await kept("", () => countAll(run, table))
    const asked: AskedLexeme[] = []
    for (const { lexeme, times } of found) {
      const rows = await kept(`=${lexeme}`, () => countRows(run, table, lexeme))
      // Beyond what was counted it may be anything; a tenth of all is what a word that frequent has at least.
      asked.push({ lexeme, times, rows: rows < COUNT_MAX ? rows : Math.max(rows, total / 10) })
    }
    return wordQuery(
      asked.filter(({ rows }) => rows > 0),
      total,
    )
  }
}

/** As many as the table's statistics say; counted where it has none yet. */
async function countAll(run: RunSql, { name }: PgTable): Promise<number> {
  const [row] = await run("select reltuples::float8 as n from pg_class where oid = to_regclass($1)", [name])
  const estimated = Number(row?.["n"] ?? 0)
  if (estimated > 0) return estimated
  const [counted] = await run(`select count(*)::int as n from (select from ${name} limit ${COUNT_MAX}) rows`)
  return Number(counted?.["n"] ?? 0)
}

async function countRows(run: RunSql, { name, tsvector }: PgTable, lexeme: string): Promise<number> {
  const [row] = await run(
    `select count(*)::int as n from (select from ${name} where ${tsvector} @@ $1::text::tsquery limit ${COUNT_MAX}) rows`,
    [quotedLexeme(lexeme)],
  )
  return Number(row?.["n"] ?? 0)
}

function wordQuery(asked: readonly AskedLexeme[], total: number): WordQuery | null {
  const rarest = asked.toSorted((a, b) => a.rows - b.rows)
  if (rarest.length === 0) return null
  let budget = CANDIDATES
  const matching = rarest.filter(({ rows }, i) => {
    budget -= rows
    return i === 0 || budget >= 0
  })
  return {
    matching: matching.map(({ lexeme }) => quotedLexeme(lexeme)).join(" | "),
    lexemes: asked.map(({ lexeme }) => lexeme),
    weights: asked.map(({ times, rows }) => times * Math.log(1 + (Math.max(total, rows) - rows + 0.5) / (rows + 0.5))),
  }
}

/** A lexeme as a tsquery has it, whatever characters it is of. */
function quotedLexeme(lexeme: string): string {
  return `'${lexeme.replace(/['\\]/g, "$&$&")}'`
}

/** BM25 of a row, `length` and `tf` as the tsvector has them: `lexemes` and `weights` are parameters. */
export function bm25Expression(tsvector: string, lexemes: string, weights: string): string {
  const weight = bm25Sql("w.tf", "l.length")
  return `(
    select coalesce(sum(q.weight * ${weight}), 0)::float8
      from (select coalesce(sum(coalesce(cardinality(positions), 1)), 0)::float8 as length from unnest(${tsvector})) l,
           (select lexeme, coalesce(cardinality(positions), 1)::float8 as tf from unnest(${tsvector})) w
      join unnest(${lexemes}::text[], ${weights}::float8[]) q (lexeme, weight) on q.lexeme = w.lexeme)`
}

/** What a row's words weigh when each counts once: quick, and close to BM25. */
export function presenceExpression(
  tsvector: string,
  { lexemes, weights }: WordQuery,
  parameters: SqlParameters,
): string {
  const weighed = lexemes.map((lexeme, i) => {
    const query = parameters.add(quotedLexeme(lexeme))
    return `case when ${tsvector} @@ ${query}::text::tsquery then ${parameters.add(weights[i] ?? 0)}::float8 else 0 end`
  })
  return weighed.join(" + ")
}

/** `bm25Weight` in SQL. */
function bm25Sql(tf: string, length: string): string {
  const { k1, b, usualLength } = BM25
  return `${tf} * ${k1 + 1} / (${tf} + ${k1} * (${1 - b} + ${b} * ${length} / ${usualLength}))`
}
