import type { OwnerDatabase, Transaction } from "../../database/database.ts"
import { AppError } from "../../errors.ts"
import { currentSpace, type NamedSpace, readSpaces } from "./named-space.ts"

// A space that is there from before any swap is the settings' model's: from now on it says itself how that is opened.
const KEEP_CURRENT = `
  insert into concordance.embedding_spaces (source_account_id, model, dimensions, state, opening)
  values ($1, $2, $3, 'active', $4::text::jsonb)
  on conflict (source_account_id, model) do update set opening = excluded.opening
   where embedding_spaces.opening is null and embedding_spaces.state = 'active'`

const INSERT = `
  insert into concordance.embedding_spaces (source_account_id, model, dimensions, state, opening)
  values ($1, $2, $3, 'building', $4::text::jsonb)`

/**
 * Makes an empty space for another model beside the tenant's, which goes on as before. `standard` is the model that the
 * settings name, which the tenant keeps until the other is made active; null: none. Made twice it is the same space.
 *
 * @returns false where it was there
 * @throws AppError `conflict` for the tenant's own model, and for vectors that no swap made under this name
 */
export async function createSpace(
  owner: OwnerDatabase,
  tenant: string,
  wanted: NamedSpace,
  standard: NamedSpace | null,
): Promise<boolean> {
  return owner.session((session) =>
    session.transaction(async () => {
      await keepCurrent(session, tenant, standard)
      const spaces = await readSpaces(session, tenant, true)
      if (currentSpace(spaces)?.model === wanted.model)
        throw new AppError("conflict", `${wanted.model} is the model of tenant ${tenant} already`)
      const there = spaces.find(({ model }) => model === wanted.model)
      if (!there) {
        await session.query(INSERT, values(tenant, wanted))
        return true
      }
      if (!there.opening || there.dimensions !== wanted.dimensions) {
        const what = there.opening ? `vectors of ${there.dimensions} dimensions` : "vectors that no swap made"
        throw new AppError("conflict", `Tenant ${tenant} has ${what} of ${wanted.model}: drop them first (spaces drop)`)
      }
      const text = "update concordance.embedding_spaces set opening = $2::text::jsonb where id = $1"
      await session.query(text, [there.id, JSON.stringify(wanted.opening)])
      return false
    }),
  )
}

/** The tenant keeps the settings' model, where it has no model of its own yet. */
async function keepCurrent(session: Transaction, tenant: string, standard: NamedSpace | null): Promise<void> {
  if (standard && !currentSpace(await readSpaces(session, tenant, true)))
    await session.query(KEEP_CURRENT, values(tenant, standard))
}

function values(tenant: string, { model, dimensions, opening }: NamedSpace) {
  return [tenant, model, dimensions, JSON.stringify(opening)]
}
