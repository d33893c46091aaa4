import type { Database, OwnerDatabase, OwnerSession, Row } from "../../database/database.ts"
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
/** After so many attempts others write faster than the gap closes: the last few are embedded while writers wait. */
const ATTEMPTS_FREE = 3
const ATTEMPTS_MAX = 10
/** What is embedded while writers wait: a second or two. */
const HELD_MAX = 64

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
      session.transaction(() =>
        activateWhole(session, tenant, embedder, { allowMissing, isLate: attempt > ATTEMPTS_FREE }),
      ),
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

async function activateWhole(
  session: OwnerSession,
  tenant: string,
  embedder: Embedder,
  { allowMissing, isLate }: { readonly allowMissing: boolean; readonly isLate: boolean },
) {
  const spaces = await readSpaces(session, tenant, true)
  const space = madeSpace(spaces, tenant, embedder.model)
  let missing = await countMissing(session, tenant, space.id)
  if (isLate && missing > 0 && missing <= HELD_MAX) {
    await session.query("select set_config('search_path', concordance.function_path(), true)")
    await backfillSpace({ database: within(session), embedder }, tenant, space.id)
    missing = await countMissing(session, tenant, space.id)
  }
  if (missing > 0 && !allowMissing) return { active: false, missing, id: space.id }
  const current = currentSpace(spaces)
  if (current?.id === space.id) return { active: true, missing, id: space.id }
  const text = "update concordance.embedding_spaces set state = $2, state_since = now() where id = $1"
  if (current) await session.query(text, [current.id, "retired"])
  await session.query(text, [space.id, "active"])
  return { active: true, missing, id: space.id }
}

/** The owner's open transaction: what the backfill asks names its tenant itself. */
function within(session: OwnerSession): Pick<Database, "batch"> {
  return {
    async batch(_, statements) {
      const lists: Row[][] = []
      for (const { text, values } of statements) lists.push(await session.query(text, values))
      return lists
    },
  }
}
