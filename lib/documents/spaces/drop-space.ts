import type { OwnerDatabase, OwnerSession } from "../../database/database.ts"
import { dropVectorIndex } from "../../database/vector-index.ts"
import { AppError } from "../../errors.ts"
import { currentSpace, readSpaces } from "./named-space.ts"

/** Of one transaction: 5,000 vectors of 1,024 dimensions are 10 MB, gone in some 50 ms. */
const VECTORS_PER_BATCH = 5_000
/** Processes that haven't heard of the new model yet search by the old one so long, and longer while they open it. s. */
const RETIRED_SECONDS_MIN = 60

const DELETE = `
  with batch as (
    select chunk_key from concordance.embeddings
     where source_account_id = $1 and space_id = $2 and chunk_key > $3::text::bigint order by chunk_key limit $4::int),
  gone as (
    delete from concordance.embeddings e using batch
     where e.source_account_id = $1 and e.space_id = $2 and e.chunk_key = batch.chunk_key)
  select max(chunk_key)::text as last, count(*)::float8 as n from batch`

interface DropOptions {
  /** The model that the settings name: it is the tenant's where no space says otherwise. */
  readonly standard: string | null
  /** Vectors that callers brought go too. */
  readonly brought?: boolean
  /** Doesn't wait for searches that may still go by it. */
  readonly now?: boolean
  /** Of one transaction; 5,000 when absent. */
  readonly vectorsPerBatch?: number
  /** After each transaction. What it throws ends the work there. */
  readonly onProgress?: (deleted: number) => void
}

/**
 * Removes a space: its index, its vectors batch by batch, then its row. One that was interrupted is run again. Nobody
 * searches by it from the first moment on.
 *
 * @returns vectors deleted
 * @throws AppError `not_found`; `conflict` for the tenant's model, for what was that a minute ago, for vectors of callers
 */
export async function dropSpace(
  owner: OwnerDatabase,
  tenant: string,
  model: string,
  options: DropOptions,
): Promise<number> {
  return owner.session(async (session) => {
    const id = await session.transaction(() => takeOut(session, tenant, model, options))
    await dropVectorIndex(session, id)
    let deleted = 0
    for (let after: string | null = "0"; after !== null; ) {
      const values = [tenant, id, after, options.vectorsPerBatch ?? VECTORS_PER_BATCH]
      const rows: { last: string | null; n: number }[] = await session.query(DELETE, values)
      after = rows[0]?.last ?? null
      deleted += rows[0]?.n ?? 0
      options.onProgress?.(deleted)
    }
    await session.query("delete from concordance.embedding_spaces where id = $1", [id])
    return deleted
  })
}

async function takeOut(session: OwnerSession, tenant: string, model: string, options: DropOptions): Promise<number> {
  const spaces = await readSpaces(session, tenant, true)
  const space = spaces.find((space) => space.model === model)
  if (!space) throw new AppError("not_found", `Tenant ${tenant} has no space of ${model}`)
  if ((currentSpace(spaces)?.model ?? options.standard) === model)
    throw new AppError("conflict", `${model} is the model of tenant ${tenant}: activate another one first`)
  if (!space.opening && !options.brought)
    throw new AppError(
      "conflict",
      `No swap made these vectors: callers may have brought them. To drop them, pass --brought`,
    )
  if (space.state === "retired" && space.stateSeconds < RETIRED_SECONDS_MIN && !options.now)
    throw new AppError(
      "conflict",
      `${model} was retired ${Math.floor(space.stateSeconds)} s ago, and running servers may search by it for ${RETIRED_SECONDS_MIN} s. Wait, or pass --now`,
    )
  const text = "update concordance.embedding_spaces set state = 'building', indexed = false where id = $1"
  await session.query(text, [space.id])
  return space.id
}
