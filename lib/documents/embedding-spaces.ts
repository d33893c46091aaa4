import type { Row, Transaction } from "../database/database.ts"
import { invalidField } from "../errors.ts"
import { ModelMoved } from "../inference/tenant-models.ts"
import type { ChunkVector, EmbeddedDocument } from "./embed-documents.ts"

const REMOVE_EMPTY_SPACE = `
  delete from embedding_spaces s where s.model = $1 and not exists (
    select from embeddings e where e.source_account_id = s.source_account_id and e.space_id = s.id)`

/** The spaces of a tenant by model: id and dimensions. */
export type Spaces = ReadonlyMap<string, { readonly id: number; readonly dimensions: number }>

interface SpaceRow extends Row {
  readonly id: number
  readonly model: string
  readonly dimensions: number
  /** What the tenant's documents are embedded by. */
  readonly current: boolean
}

// Held until the commit: whoever makes another model the tenant's waits for these documents, and then sees what they lack.
const HOLD_SPACES = `
  select id, model, dimensions, state = 'active' and opening is not null as current
    from embedding_spaces order by id for share`

/** The tenant's spaces. Throws `ModelMoved` where `made` names another model than the tenant's. */
async function readSpaces(transaction: Transaction, made: ReadonlySet<string>): Promise<Spaces> {
  const rows = await transaction.query<SpaceRow>(HOLD_SPACES)
  const current = rows.find((row) => row.current)
  if (current && [...made].some((model) => model !== current.model)) throw new ModelMoved()
  return new Map(rows.map(({ id, model, dimensions }) => [model, { id, dimensions }]))
}

/** The models that made vectors here, not those that callers name. */
function modelsOf(documents: readonly EmbeddedDocument[]): ReadonlySet<string> {
  return new Set(
    documents.flatMap(({ document, vectors }) =>
      document.chunks.flatMap((chunk) => (chunk.text === null ? [] : (vectors.get(chunk)?.model ?? []))),
    ),
  )
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
 * the dimensions of its model's space, and `ModelMoved` where the tenant's model is another than that which embedded.
 */
export async function ensureSpaces(
  transaction: Transaction,
  tenant: string,
  documents: readonly EmbeddedDocument[],
): Promise<Spaces> {
  const vectors = documents.flatMap(({ vectors }) => [...vectors.values()])
  const wanted = new Map(vectors.map(({ model, vector }) => [model, vector.length]))
  const made = modelsOf(documents)
  let spaces = await readSpaces(transaction, made)
  for (const [model, dimensions] of [...wanted].sort()) {
    if (spaces.get(model)?.dimensions === dimensions) continue
    // A space that holds nothing binds nobody to its dimensions.
    await transaction.query(REMOVE_EMPTY_SPACE, [model])
    // Another writer may be making the same space: theirs is as good.
    const insert =
      "insert into embedding_spaces (source_account_id, model, dimensions) values ($1, $2, $3) on conflict do nothing"
    await transaction.query(insert, [tenant, model, dimensions])
    spaces = await readSpaces(transaction, made)
  }
  checkDimensions(vectors, spaces)
  return spaces
}
