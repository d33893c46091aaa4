import { AppError } from "../../errors.ts"
import type { CollectionFacts } from "../search-index.ts"
import type { RunSql } from "./pg-access.ts"

/** Names as the operator gave them; they go into SQL by `quoted` alone. */
export interface PgNames {
  /** `table` or `schema.table`. */
  readonly table: string
  readonly id: string
  readonly content: string
  readonly embedding: string
  readonly metadata: string
  /** Null: there is none, and so no list by words. */
  readonly tsvector: string | null
  /** Text search configuration of that. */
  readonly textConfig: string
}

/** The table as PostgreSQL describes it, its names quoted. */
export interface PgTable {
  readonly name: string
  readonly id: string
  /** `uuid`, `bigint`, `text`, … */
  readonly idType: string
  readonly content: string
  /** The column of vectors. */
  readonly vectors: string
  /** What is ordered by: the column, or the expression that its index is of. */
  readonly embedding: string
  readonly vectorType: "vector" | "halfvec"
  readonly operator: "<=>" | "<->" | "<#>"
  /** Null where the table has no such column. */
  readonly metadata: string | null
  readonly tsvector: string | null
  /** The other columns, by name, with their types. */
  readonly others: ReadonlyMap<string, string>
  readonly facts: CollectionFacts
  /** pgvector's version, as `[0, 8]`. */
  readonly version: readonly [number, number]
}

/** An identifier as SQL has it: no name can end it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** `schema.table`, either part with any characters but dots. */
export function quotedTable(table: string): string {
  return table.split(".").map(quoted).join(".")
}

const COLUMNS = `
  select a.attname as name, t.typname as type, a.atttypmod as modifier
    from pg_attribute a join pg_type t on t.oid = a.atttypid
   where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped order by a.attnum`

const VECTOR_INDEXES = `
  select pg_get_indexdef(i.indexrelid, 1, true) as expression, o.opcname as operators
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
    join pg_opclass o on o.oid = i.indclass[0]
   where i.indrelid = to_regclass($1) and i.indisvalid and m.amname in ('hnsw', 'ivfflat') and i.indpred is null
   order by m.amname`

const METRICS = { "<=>": "cosine", "<->": "euclidean", "<#>": "dot" } as const

/** Looks the table up; null where there is none. Throws `invalid_configuration` where a column is missing or of the wrong type. */
export async function describeTable(run: RunSql, names: PgNames): Promise<PgTable | null> {
  const name = quotedTable(names.table)
  const columns = (await run(COLUMNS, [name])) as unknown as { name: string; type: string; modifier: number }[]
  if (columns.length === 0) return null
  const types = new Map(columns.map((column) => [column.name, column.type]))
  const need = (column: string, setting: string, allowed?: readonly string[]): string => {
    const type = types.get(column)
    if (type !== undefined && (!allowed || allowed.includes(type))) return type
    const problem =
      type === undefined
        ? `has no column ${column}`
        : `has a column ${column} of type ${type}, not ${allowed?.join(" or ")}`
    throw new AppError(
      "invalid_configuration",
      `The table ${names.table} ${problem}: correct ${setting}. It has ${[...types.keys()].join(", ")}.`,
    )
  }
  const idType = need(names.id, "PGVECTOR_ID_COLUMN")
  need(names.content, "PGVECTOR_CONTENT_COLUMN")
  const vectorType = need(names.embedding, "PGVECTOR_EMBEDDING_COLUMN", ["vector", "halfvec"])
  if (names.tsvector !== null) need(names.tsvector, "PGVECTOR_TSVECTOR_COLUMN", ["tsvector"])
  const hasMetadata = ["json", "jsonb"].includes(types.get(names.metadata) ?? "")
  const own = new Set([
    names.id,
    names.content,
    names.embedding,
    names.tsvector,
    ...(hasMetadata ? [names.metadata] : []),
  ])
  const { operator, expression, type } = await indexedBy(run, name, names.embedding, vectorType)
  const declared = columns.find((column) => column.name === names.embedding)?.modifier ?? -1
  return {
    name,
    id: quoted(names.id),
    idType,
    content: quoted(names.content),
    vectors: quoted(names.embedding),
    embedding: expression,
    vectorType: type,
    operator,
    metadata: hasMetadata ? quoted(names.metadata) : null,
    tsvector: names.tsvector === null ? null : quoted(names.tsvector),
    others: new Map([...types].filter(([column]) => !own.has(column))),
    facts: {
      dimensions: declared > 0 ? declared : await firstLength(run, name, quoted(names.embedding)),
      metric: METRICS[operator],
    },
    version: await extensionVersion(run),
  }
}

/** The operator of the column's index, and the expression it is of (`embedding::halfvec(384)`); cosine, exactly, without one. */
async function indexedBy(run: RunSql, table: string, column: string, columnType: string) {
  const indexes = (await run(VECTOR_INDEXES, [table])) as unknown as { expression: string; operators: string }[]
  const plain = [column, quoted(column)]
  const ofColumn = indexes.find(({ expression }) =>
    plain.some((text) => expression === text || expression.startsWith(`(${text}::`)),
  )
  const found = /^(vector|halfvec)_(cosine|l2|ip)_ops$/.exec(ofColumn?.operators ?? "")
  if (!found || !ofColumn)
    return { operator: "<=>", expression: quoted(column), type: columnType as PgTable["vectorType"] } as const
  const operator = ({ cosine: "<=>", l2: "<->", ip: "<#>" } as const)[found[2] as "cosine" | "l2" | "ip"]
  return { operator, expression: ofColumn.expression, type: found[1] as PgTable["vectorType"] }
}

/** Of a column that declares no dimensions. */
async function firstLength(run: RunSql, table: string, column: string): Promise<number | null> {
  const [row] = await run(
    `select vector_dims(${column})::int as dimensions from ${table} where ${column} is not null limit 1`,
  )
  return (row?.["dimensions"] as number | undefined) ?? null
}

async function extensionVersion(run: RunSql): Promise<readonly [number, number]> {
  const [row] = await run("select extversion as version from pg_extension where extname = 'vector'")
  const version = row?.["version"]
  const [major = 0, minor = 0] = typeof version === "string" ? version.split(".").map(Number) : []
  return [major, minor]
}
