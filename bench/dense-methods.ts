import type { Statement } from "../lib/database/database.ts"

/** Chunks of a list by meaning, as `POST /search` asks for them. */
const DEPTH = 100
/** Nearest by Hamming distance that are compared in full. */
const BITS_DEPTH = 400

/** What is asked: the nearest chunks whose `bucket` is below `below`; null for all of them. */
export interface DenseQuestion {
  readonly space: number
  readonly dimensions: number
  /** As `vectorToSql` writes it. */
  readonly vector: string
  readonly below: number | null
}

/** Ways to the nearest chunks. Each statement gives `key`, the nearest first; only the last one's rows count. */
export const DENSE_METHODS = {
  /** The product's: it chooses one of the first three. */
  auto: ({ space, vector, below }) => [
    listed(`dense_candidates($1, $2::text::halfvec, null, ${filterOf(below)}, ${DEPTH})`, [space, vector]),
  ],
  /** Every vector compared, and the nearest asked whether they pass, as deep as that takes. */
  scan: ({ space, vector, below }) => {
    const reach = below === null ? `${DEPTH}` : `${Math.ceil((1_500 * DEPTH) / below + 100)}`
    return [
      listed(`dense_by_scan($1, $2::text::halfvec, null, ${filterOf(below)}, ${DEPTH}, ${reach})`, [space, vector]),
    ]
  },
  /** HNSW, going on until enough pass. */
  index: ({ space, vector, below }) => [
    listed(`dense_by_index($1, $2::text::halfvec, null, ${filterOf(below)}, ${DEPTH}, ${(below ?? 1_000) / 1_000})`, [
      space,
      vector,
    ]),
  ],
  /** The chunks that pass by the index on the field, each of them compared. */
  keys: ({ space, vector, below }) => {
    const keys = `array(select v.chunk_key from filter_values v, filter_fields f, filter_clauses(${filterOf(below)}) c
      where f.source_account_id = current_tenant() and f.path = c.path and v.source_account_id = current_tenant()
        and v.field_id = f.id and v.value between c.low and c.high)`
    return [
      listed(`dense_by_keys($1, $2::text::halfvec, ${keys}, null, ${filterOf(below)}, ${DEPTH})`, [space, vector]),
    ]
  },
  /** HNSW once, what doesn't pass left out of it: what pgvector does before 0.8. */
  hnsw: ({ space, dimensions, vector, below }) => [
    settings(200, "off"),
    {
      text: `select n.chunk_key::text as key
        from (select chunk_key, embedding::halfvec(${dimensions}) <=> $1::text::halfvec as distance from embeddings
               where space_id = ${space} order by embedding::halfvec(${dimensions}) <=> $1::text::halfvec limit 200) n
       cross join lateral (select from chunks c where c.source_account_id = current_tenant() and c.key = n.chunk_key
               and ${passes(below)} offset 0) c
       limit ${DEPTH}`,
      values: [vector],
    },
  ],
  /** HNSW over the signs alone, the nearest of those that pass compared in full. */
  bits: ({ space, dimensions, vector, below }) => [
    settings(BITS_DEPTH, "relaxed_order"),
    {
      text: `select b.chunk_key::text as key
        from (select e.chunk_key, e.embedding
                from embeddings e
               cross join lateral (select from chunks c where c.source_account_id = current_tenant() and c.key = e.chunk_key
                       and ${passes(below)} offset 0) c
               where e.space_id = ${space}
               order by ${bitsOf(dimensions)} <~> binary_quantize($1::text::halfvec(${dimensions}))::bit(${dimensions})
               limit ${BITS_DEPTH}) b
       order by b.embedding <=> $1::text::halfvec limit ${DEPTH}`,
      values: [vector],
    },
  ],
} satisfies Record<string, (question: DenseQuestion) => Statement[]>

export type DenseMethod = keyof typeof DENSE_METHODS

/** The expression of the index over the signs. */
export function bitsOf(dimensions: number): string {
  return `binary_quantize(embedding::halfvec(${dimensions}))::bit(${dimensions})`
}

/** The filter as a jsonpath literal. */
export function filterOf(below: number | null): string {
  return below === null ? "null::jsonpath" : `'$ ? (@."bucket" < ${below})'::jsonpath`
}

function passes(below: number | null): string {
  return below === null ? "true" : `jsonb_path_exists(c.metadata, ${filterOf(below)}, '{}', true)`
}

function listed(call: string, values: (string | number)[]): Statement {
  return { text: `select chunk_key::text as key from ${call}`, values }
}

function settings(efSearch: number, iterativeScan: string): Statement {
  return {
    text: `select set_config('hnsw.ef_search', '${efSearch}', true), set_config('hnsw.iterative_scan', '${iterativeScan}', true),
                  set_config('hnsw.max_scan_tuples', '2147483647', true), set_config('hnsw.scan_mem_multiplier', '100', true),
                  set_config('enable_seqscan', 'off', true), set_config('enable_sort', $1, true)`,
    values: ["on"],
  }
}
