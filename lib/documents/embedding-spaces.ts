import type { Transaction } from "../database/database.ts"
import { invalidField } from "../errors.ts"
import type { ChunkVector, EmbeddedDocument } from "./embed-documents.ts"

const REMOVE_EMPTY_SPACE = `
  delete from embedding_spaces s where s.model = $1 and not exists (
    select from embeddings e where e.source_account_id = s.source_account_id and e.space_id = s.id)`

/** The spaces of a tenant by model: id and dimensions. */
export type Spaces = ReadonlyMap<string, { readonly id: number; readonly dimensions: number }>

/** The tenant's spaces. */
async function readSpaces(transaction: Transaction): Promise<Spaces> {
  const rows = await transaction.query<{ id: number; model: string; dimensions: number }>(
    "select id, model, dimensions from embedding_spaces",
  )
  return new Map(rows.map(({ id, model, dimensions }) => [model, { id, dimensions }]))
}

/** Throws `invalid_request` where a vector hasn't the dimensions of its model's space. */
function checkDimensions(vectors: Iterable<ChunkVector>, spaces: Spaces): void {
  for (const { model, vector } of vectors) {
    const space = spaces.get(model)
    if (space && space.dimensions !== vector.length) {
      throw invalidField("embedding", `has ${vector.length} dimensions; vectors of ${model} have ${space.dimensions}`)
    }
  }
}

/**
 * The tenant's spaces, with those made that the documents' vectors need. Throws `invalid_request` where a vector hasn't
 * the dimensions of its model's space.
 */
export async function ensureSpaces(
  transaction: Transaction,
  tenant: string,
  documents: readonly EmbeddedDocument[],
): Promise<Spaces> {
  const vectors = documents.flatMap(({ vectors }) => [...vectors.values()])
  const wanted = new Map(vectors.map(({ model, vector }) => [model, vector.length]))
  let spaces = await readSpaces(transaction)
  for (const [model, dimensions] of [...wanted].sort()) {
    if (spaces.get(model)?.dimensions === dimensions) continue
    // A space that holds nothing binds nobody to its dimensions.
    await transaction.query(REMOVE_EMPTY_SPACE, [model])
    // Another writer may be making the same space: theirs is as good.
    const insert =
      "insert into embedding_spaces (source_account_id, model, dimensions) values ($1, $2, $3) on conflict do nothing"
    await transaction.query(insert, [tenant, model, dimensions])
    spaces = await readSpaces(transaction)
  }
  checkDimensions(vectors, spaces)
  return spaces
}
