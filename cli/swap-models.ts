import { configFromEnvironment } from "../functions/environment.ts"
import type { Config } from "../lib/config.ts"
import { madeSpace, type NamedSpace, readSpaces, tenantsWithDocuments } from "../lib/documents/spaces/named-space.ts"
import { AppError } from "../lib/errors.ts"
import type { Embedder } from "../lib/inference/inference.ts"
import { type ModelOpening, openingOf, settingsOf } from "../lib/inference/model-opening.ts"
import { openInference } from "../lib/inference/open-inference.ts"
import type { TenantOptions } from "./spaces.ts"
import { type BothDatabases, withBoth } from "./with-runtime.ts"

/** What the commands of a swap stand on. */
export interface Swap extends BothDatabases {
  readonly config: Config
  /** Opens a model, once a command; it is closed with the rest. */
  open(opening: ModelOpening): Promise<Embedder>
  /** The model that the settings name; null: none. */
  standard(): Promise<NamedSpace | null>
}

/** Opens the database and, as they are asked for, models; closes all of it. */
export async function withSwap<T>(work: (swap: Swap) => Promise<T>): Promise<T> {
  const config = configFromEnvironment()
  const settings = { ...config, home: config.concordanceHome }
  const opened = new Map<string, ReturnType<typeof openInference>>()
  const open: Swap["open"] = async (opening) => {
    const key = JSON.stringify(opening)
    const opening$ = opened.get(key) ?? openInference(settingsOf(opening, settings))
    opened.set(key, opening$)
    const { embedder } = await opening$
    if (!embedder) throw new AppError("invalid_configuration", `${opening.model} can't be opened as an embedding model`)
    return embedder
  }
  const standard = async () => {
    const opening$ = opened.get("") ?? openInference({ ...settings, rerankModel: "none" })
    opened.set("", opening$)
    const { embedder } = await opening$
    return (
      embedder && {
        model: embedder.model,
        dimensions: embedder.dimensions,
        opening: openingOf(settings, embedder.model),
      }
    )
  }
  try {
    return await withBoth((both) => work({ ...both, config, open, standard }))
  } finally {
    for (const opening of opened.values()) await opening.then((models) => models.close()).catch(() => {})
  }
}

/** The tenants that a command is about. */
export async function tenantsOf({ owner }: Swap, { tenant, all }: TenantOptions): Promise<readonly string[]> {
  return all ? owner.session((session) => tenantsWithDocuments(session)) : [tenant]
}

/** The space of `model` of each tenant; with `all` of those that have one. Throws `not_found` where none has. */
export async function spacesOf(swap: Swap, model: string, options: TenantOptions) {
  const tenants = await tenantsOf(swap, options)
  const found = await swap.owner.session(async (session) => {
    const spaces = []
    for (const tenant of tenants) {
      const all = await readSpaces(session, tenant)
      const isThere = all.some((space) => space.model === model && space.opening)
      if (isThere || !options.all) spaces.push({ tenant, space: madeSpace(all, tenant, model) })
    }
    return spaces
  })
  if (found.length === 0)
    throw new AppError("not_found", `No tenant has a space of ${model}: make them with spaces create`)
  return found
}
