import type { Transaction } from "../../database/database.ts"
import { AppError } from "../../errors.ts"
import { type ModelOpening, parseOpening } from "../../inference/model-opening.ts"

/** A model that fills a space of a tenant's, and how it is opened. */
export interface NamedSpace {
  readonly model: string
  readonly dimensions: number
  readonly opening: ModelOpening
}

/** A space as it is stored; `opening` null: callers brought its vectors, or the settings name its model. */
export interface StoredSpace {
  readonly id: number
  readonly model: string
  readonly dimensions: number
  readonly state: "building" | "active" | "retired"
  readonly indexed: boolean
  readonly opening: ModelOpening | null
  /** How long it has had its state, s. */
  readonly stateSeconds: number
}

const SPACES = `
  select id, model, dimensions, state, indexed, opening::text as opening,
         extract(epoch from now() - state_since)::float8 as "stateSeconds"
    from concordance.embedding_spaces where source_account_id = $1 order by id`

/**
 * The tenant's spaces, by the owner's session. `held`: nobody begins to write documents or changes a space before the
 * commit; vectors may be added.
 */
export async function readSpaces(session: Transaction, tenant: string, held = false): Promise<readonly StoredSpace[]> {
  const rows = await session.query<SpaceRow>(held ? `${SPACES} for no key update` : SPACES, [tenant])
  return rows.map(({ opening, ...row }) => ({
    ...row,
    opening: opening === null ? null : parseOpening(JSON.parse(opening), row.model),
  }))
}

type SpaceRow = Omit<StoredSpace, "opening"> & { readonly opening: string | null } & Record<string, unknown>

/** The space that searches and writes of the tenant go by; undefined where the settings name the model. */
export function currentSpace(spaces: readonly StoredSpace[]): StoredSpace | undefined {
  return spaces.find(({ state, opening }) => state === "active" && opening !== null)
}

/** The space of a model that `spaces create` made. Throws `not_found`. */
export function madeSpace(spaces: readonly StoredSpace[], tenant: string, model: string) {
  const space = spaces.find((space) => space.model === model)
  if (!space?.opening)
    throw new AppError("not_found", `Tenant ${tenant} has no space of ${model}: make one with spaces create ${model}`)
  return { ...space, opening: space.opening }
}

/** How many chunks a space lacks that its model is to embed. */
export async function countMissing(session: Transaction, tenant: string, spaceId: number): Promise<number> {
  const [row] = await session.query<{ n: number }>(
    "select count(*)::float8 as n from concordance.chunks_to_embed where source_account_id = $1 and space_id = $2",
    [tenant, spaceId],
  )
  return row?.n ?? 0
}

const TENANTS = `
  select source_account_id as tenant from concordance.documents where status <> 'deleted'
  union select source_account_id from concordance.embedding_spaces order by 1`

/** Every tenant that has documents or vectors. */
export async function tenantsWithDocuments(session: Transaction): Promise<readonly string[]> {
  return (await session.query<{ tenant: string }>(TENANTS)).map(({ tenant }) => tenant)
}
