import type { Database, OwnerDatabase, OwnerSession } from "../../database/database.ts"
import { AppError } from "../../errors.ts"
import type { Embedder } from "../../inference/inference.ts"
import { backfillSpace } from "./backfill-space.ts"
import { countMissing, currentSpace, madeSpace, readSpaces } from "./named-space.ts"

interface ActivateDeps {
  readonly owner: OwnerDatabase
  readonly database: Database
  /** The model that is to be the tenant's: it shows that it can be opened, and embeds what was written since the backfill. */
  readonly embedder: Embedder
}

/** What writers may leave between a backfill and this: some seconds of embedding. */
const STRAGGLERS_MAX = 512
/** Each closes a gap of milliseconds, in which a writer has to fall again. */
const ATTEMPTS_MAX = 10

/**
 * Makes a space's model the tenant's, in one transaction: searches and writes that begin after it go by the new model, in
 * every process after 10 s at the latest and once it has opened the model. What was written since the backfill is embedded
 * first; writers that are under way are waited for, and begin anew by the new model.
 *
 * @returns how many chunks the space still lacks: 0 but for `allowMissing`
 * @throws AppError `conflict` where chunks are missing, `not_found`
 */
export async function activateSpace(
  { owner, database, embedder }: ActivateDeps,
  tenant: string,
  allowMissing = false,
): Promise<number> {
  const { model } = embedder
  for (let attempt = 1; ; attempt++) {
    const outcome = await owner.session((session) =>
      session.transaction(() => activateWhole(session, tenant, model, allowMissing)),
    )
    if (outcome.active) return outcome.missing
    if (outcome.missing > STRAGGLERS_MAX || attempt === ATTEMPTS_MAX)
      throw new AppError(
        "conflict",
        `The space of ${model} lacks ${outcome.missing} chunks of tenant ${tenant}: run spaces backfill ${model}, or pass --allow-missing, and these are found by words alone until you do`,
      )
    await backfillSpace({ database, embedder }, tenant, outcome.id)
  }
}

async function activateWhole(session: OwnerSession, tenant: string, model: string, allowMissing: boolean) {
  const spaces = await readSpaces(session, tenant, true)
  const space = madeSpace(spaces, tenant, model)
  const missing = await countMissing(session, tenant, space.id)
  if (missing > 0 && !allowMissing) return { active: false, missing, id: space.id }
  const current = currentSpace(spaces)
  if (current?.id === space.id) return { active: true, missing, id: space.id }
  const text = "update concordance.embedding_spaces set state = $2, state_since = now() where id = $1"
  if (current) await session.query(text, [current.id, "retired"])
  await session.query(text, [space.id, "active"])
  return { active: true, missing, id: space.id }
}
