import type { Database, Row } from "../../database/database.ts"
import type { Embedder } from "../../inference/inference.ts"
import { halfvecToSql } from "../../vector.ts"
import { modelText } from "../model-text.ts"

/** Keys of lacking chunks that are read at once: finding them costs more than their texts do. */
const KEYS_PER_PAGE = 1_024
/** Chunks that are read, embedded and committed together: what a killed process does again. */
const CHUNKS_PER_BATCH = 32

/** A pass that wrote no more than this was the last. */
const LITTLE = 64

const MISSING = `
  select key::text as key from chunks_to_embed where space_id = $1 and source_account_id = $3 and key > $2::text::bigint order by key limit ${KEYS_PER_PAGE}`

const TEXTS = `
  select c.key::text as key, c.document_id, d.generation::text as generation, c.title, c.content, c.language, c.metadata,
         c.translation_language, c.translated_content
    from unnest($1::bigint[]) as wanted (key)
    join chunks c on c.source_account_id = $2 and c.key = wanted.key
    join documents d on d.source_account_id = c.source_account_id and d.id = c.document_id`

// Whoever replaces or deletes a document raises its generation first and holds its row until the commit. So either this
// passes it over, or they wait, and take these vectors away with the others. It never waits for them: a publication holds its
// document while it waits for `activate`, which calls this.
const WRITE = `
  with held as (
    select id, generation::text as generation from documents where source_account_id = $1 and id = any($2::text[])
     order by id for share skip locked)
  insert into embeddings (source_account_id, chunk_key, space_id, embedding)
  select $1, c.key, $3, given.vector::halfvec
    from unnest($4::bigint[], $5::text[], $6::text[], $7::text[]) as given (key, document_id, generation, vector)
    join held on held.id = given.document_id and held.generation = given.generation
    join chunks c on c.source_account_id = $1 and c.key = given.key
  on conflict do nothing
  returning 1`

interface BackfillDeps {
  readonly database: Pick<Database, "batch">
  /** The space's own model. */
  readonly embedder: Embedder
}

interface BackfillOptions {
  /** Batches under way at once; more than 1 is worth it for a model behind a service. */
  readonly concurrency?: number
  readonly signal?: AbortSignal
  /** After each batch, how many vectors were written so far. */
  readonly onProgress?: (written: number) => void
}

/**
 * Gives a tenant's space the vectors that it lacks, by and by: each batch is its own transaction, what is there is passed
 * over, and a chunk that changes meanwhile is left for the next pass. There are passes until one finds little: while others
 * write, something is always missing.
 *
 * @returns vectors written
 * @throws what the model and the database throw, and the signal's reason
 */
export async function backfillSpace(
  deps: BackfillDeps,
  tenant: string,
  spaceId: number,
  { concurrency = 1, signal = new AbortController().signal, onProgress = () => {} }: BackfillOptions = {},
): Promise<number> {
  let written = 0
  for (;;) {
    const before = written
    for await (const keys of missingKeys(deps.database, tenant, spaceId)) {
      const batches = batched(keys)
      const work = async (): Promise<void> => {
        for (let batch = batches.shift(); batch; batch = batches.shift()) {
          signal.throwIfAborted()
          written += await fillBatch(deps, tenant, spaceId, batch, signal)
          onProgress(written)
        }
      }
      await Promise.all(Array.from({ length: concurrency }, work))
    }
    if (written - before < LITTLE) return written
  }
}

async function* missingKeys(
  database: BackfillDeps["database"],
  tenant: string,
  spaceId: number,
): AsyncGenerator<string[]> {
  for (let after = "0"; ; ) {
    const [rows = []] = await database.batch({ tenant }, [{ text: MISSING, values: [spaceId, after, tenant] }])
    const keys = rows.map((row) => String(row["key"]))
    if (keys.length > 0) yield keys
    if (keys.length < KEYS_PER_PAGE) return
    after = keys.at(-1) ?? after
  }
}

function batched(keys: readonly string[]): string[][] {
  const batches: string[][] = []
  for (let i = 0; i < keys.length; i += CHUNKS_PER_BATCH) batches.push(keys.slice(i, i + CHUNKS_PER_BATCH))
  return batches
}

interface TextRow extends Row {
  readonly key: string
  readonly document_id: string
  readonly generation: string
  readonly title: string
  readonly content: string
  readonly language: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly translation_language: string | null
  readonly translated_content: string | null
}

/** Number of vectors written. */
async function fillBatch(
  { database, embedder }: BackfillDeps,
  tenant: string,
  spaceId: number,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const [found = []] = await database.batch({ tenant }, [{ text: TEXTS, values: [keys, tenant] }])
  const chunks = found as TextRow[]
  if (chunks.length === 0) return 0
  const texts = chunks.map(({ title, translation_language: language, translated_content: content, ...chunk }) =>
    modelText(embedder, title, chunk, language !== null && content !== null ? { language, content } : undefined),
  )
  const { vectors } = await embedder.embed(texts, "passage", { signal })
  const documents = [...new Set(chunks.map((chunk) => chunk.document_id))]
  const values = [
    ...[tenant, documents, spaceId],
    chunks.map(({ key }) => key),
    chunks.map((chunk) => chunk.document_id),
    chunks.map(({ generation }) => generation),
    vectors.map(halfvecToSql),
  ]
  const [rows = []] = await database.batch({ tenant }, [{ text: WRITE, values }])
  return rows.length
}
