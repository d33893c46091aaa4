import type { FilterClause, FilterOperator } from "../search/filter.ts"

/** The engines that an index may be of, as `VECTORDB_PROVIDER` names them. */
export type IndexEngine = "concordance" | "qdrant" | "pinecone" | "weaviate" | "chroma" | "pgvector"

/** One record as the engine keeps it, uninterpreted: `field-mapping.ts` says what its fields mean. */
export interface IndexRecord {
  /** The engine's own id as text; numbers and UUIDs are written as the engine writes them. */
  readonly id: string
  /** Text kept beside the payload (Chroma's document, pgvector's content column); null where there is no such place. */
  readonly text: string | null
  /** What the engine keeps besides, as JSON. A client's dates and big integers are written as text. */
  readonly payload: Readonly<Record<string, unknown>>
  /** As stored, any length; null unless it was asked for, and where `capabilities.vectors` is false. */
  readonly vector: Float32Array | null
}

/** A record that a search found. */
export interface ScoredRecord extends IndexRecord {
  /**
   * `searchDense`: cosine similarity, -1 to 1 (of unit vectors, where the engine measures otherwise). `searchLexical`: as
   * BM25, above 0. `searchHybrid`: as the engine gives it. Higher is better, always.
   */
  readonly score: number
}

/** One comparison that a record must fulfil, its field resolved to where the payload has it. */
export type IndexClause = FilterClause & {
  /** Keys from the payload's root; `[]` stands for `IndexRecord.id`. */
  readonly path: readonly string[]
}

/**
 * All must hold; empty asks for nothing. An adapter translates every clause to mean what `matchesClause` computes, or
 * throws what `cannotFilter` makes: it never leaves one out.
 */
export type IndexFilter = readonly IndexClause[]

/** Where a call looks, and for how long. */
export interface IndexCall {
  /** The engine's own partition (namespace, tenant); null: the default one. Never set where `capabilities.partitions` is null. */
  readonly partition: string | null
  /** Aborts at the deadline, or when the caller goes away; the call then rejects. */
  readonly signal: AbortSignal
}

interface ListQuery {
  readonly filter: IndexFilter
  /** Most records to return, 1 to 1,000. Fewer come only where no more match (or an approximate index finds no more). */
  readonly limit: number
  readonly withVectors: boolean
}

/** The records nearest to a vector. */
export interface DenseQuery extends ListQuery {
  /** As long as the index's vectors; unit length. */
  readonly vector: ArrayLike<number>
}

/** The records that a text's words find: any of them is enough, rare ones count for more. */
export interface LexicalQuery extends ListQuery {
  /** Never blank; quotes and exclusions are taken out of it. */
  readonly text: string
}

/** The engine's own fusion of both. */
export interface HybridQuery extends DenseQuery, LexicalQuery {}

/** What an engine, as this index is set up, can do. */
export interface IndexCapabilities {
  /** How `searchLexical` ranks, for people: `BM25`, `sparse vectors`; null: there is no `searchLexical`. */
  readonly lexical: string | null
  /** How `searchHybrid` fuses: `RRF, k = 2`; null: there is no `searchHybrid`. */
  readonly hybrid: string | null
  /** Whether records come with their vectors when asked. */
  readonly vectors: boolean
  /** What the engine calls what a tenant can have for itself: `namespace`, `tenant`; null: nothing. */
  readonly partitions: string | null
  /** Whether `upsert`, `delete`, `ensureCollection` and `reset` are there. */
  readonly writes: boolean
  /** Operators of filters that it can express, for at least some values. */
  readonly filters: readonly FilterOperator[]
}

/** What a collection is, as the engine says. */
export interface CollectionFacts {
  /** Length of its vectors; null while it has none and was not declared. */
  readonly dimensions: number | null
  /** How the engine compares vectors. */
  readonly metric: "cosine" | "dot" | "euclidean" | null
}

/** A record to be written. Writing the same again changes nothing. */
export interface NewRecord {
  /** A UUID, which every engine takes. */
  readonly id: string
  readonly text: string
  /** JSON, flat or nested; an adapter whose engine keeps scalars alone leaves the rest out of its own accord, and says so in its docstring. */
  readonly payload: Readonly<Record<string, unknown>>
  /** Unit length. */
  readonly vector: ArrayLike<number>
}

/**
 * One collection of somebody's vectors, in whichever engine. Adapters read and write; what a record means, how lists are
 * fused and what a tenant may see is decided above them (`index-candidates.ts`).
 *
 * Every method throws AppError: `deadline_exceeded` when its signal aborts by time, `index_unavailable` when the engine can't
 * be reached, fails or refuses the key (each in words of its own), `invalid_request` from `cannotFilter`. Messages name the
 * engine and its setting; they hold no key, query text or content.
 */
export interface SearchIndex {
  readonly engine: IndexEngine
  /** For people: `Chroma's collection self_rag_documents at http://localhost:8000`. Holds no credentials. */
  readonly name: string
  readonly capabilities: IndexCapabilities
  /** Nearest first; ties by id. */
  searchDense(query: DenseQuery, call: IndexCall): Promise<readonly ScoredRecord[]>
  /** Best first. There exactly when `capabilities.lexical` isn't null. */
  searchLexical?(query: LexicalQuery, call: IndexCall): Promise<readonly ScoredRecord[]>
  /** Best first. There exactly when `capabilities.hybrid` isn't null. */
  searchHybrid?(query: HybridQuery, call: IndexCall): Promise<readonly ScoredRecord[]>
  /** Those of the ids that exist, in any order, without vectors. An id that the engine couldn't have given is missing too. */
  fetch(ids: readonly string[], call: IndexCall): Promise<readonly IndexRecord[]>
  /** Up to `count` records with their vectors, whichever come first: what the mapping is guessed from. */
  sample(count: number, call: IndexCall): Promise<readonly IndexRecord[]>
  /** How many records there are; of the partition, where the call names one. */
  count(call: IndexCall): Promise<number>
  /** Null where there is no such collection. */
  describe(call: IndexCall): Promise<CollectionFacts | null>
  /** Resolves when the engine answers and takes the key. */
  health(signal: AbortSignal): Promise<void>
  /** Ends connections; calls under way may fail. Safe to repeat. */
  close(): Promise<void>
  /** Writes records, in as many requests as the engine wants. */
  upsert?(records: readonly NewRecord[], call: IndexCall): Promise<void>
  /** Removes the records; those that aren't there are no failure. */
  delete?(ids: readonly string[], call: IndexCall): Promise<void>
  /** Makes the collection for vectors of this length, compared by cosine, where there is none; leaves one that is there. */
  ensureCollection?(dimensions: number, call: IndexCall): Promise<void>
  /** Removes the collection with all it holds; one that isn't there is no failure. For tests and `--reset`, never by a route. */
  reset?(call: IndexCall): Promise<void>
}
