import { deadlineIn } from "../deadline.ts"
import { AppError } from "../errors.ts"
import type { FindCandidates } from "../search/find-candidates.ts"
import { type Collection, createCollection, type VectorModel } from "./collection.ts"
import type { FieldSettings } from "./field-mapping.ts"
import { indexCandidates } from "./index-candidates.ts"
import { type EngineSettings, openEngine } from "./open-index.ts"
import { createReadPassage, type ReadPassage } from "./read-passage.ts"
import type { IndexCall } from "./search-index.ts"
import { readTenancy, requirePartitions, type Tenancy, type TenancySettings } from "./tenancy.ts"

export interface ForeignSettings extends EngineSettings, FieldSettings, TenancySettings {
  readonly vectordbNativeHybrid: boolean
  readonly retrievalCollection: string
  /** Null: hits are never expanded. */
  readonly parentExpansionCollection: string | null
}

/** Somebody's index, opened and checked, as the pipeline searches it. */
export interface ForeignSearch {
  readonly find: FindCandidates
  readonly readPassage: ReadPassage
  /** See `SearchDeps`. */
  readonly wordsNeedVector: boolean
  readonly children: Collection
  /** Null: off, or not there. */
  readonly parents: Collection | null
  readonly tenancy: Tenancy
  /** See `SearchIndex.health`. */
  health(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** How long the engine may take to show what it holds, ms. */
const START_TIMEOUT_MS = 15_000

/**
 * Opens the index that the settings name and checks what it holds against the model: dimensions, metric, fields. With
 * partitions there may be none to look at yet; each is checked when it is first searched.
 *
 * @throws AppError `invalid_configuration`, which names both sides of a mismatch; `index_unavailable`
 */
export async function openForeignSearch(
  settings: ForeignSettings,
  model: VectorModel | null,
  open: typeof openEngine = openEngine,
): Promise<ForeignSearch> {
  const tenancy = readTenancy(settings)
  const engine = await open(settings)
  const children = createCollection(engine.open(settings.retrievalCollection), { settings, model })
  const { parentExpansionCollection: parentName } = settings
  const parents =
    parentName === null ? null : createCollection(engine.open(parentName), { settings: NOTHING_CHOSEN, model: null })
  const close = async () => {
    await children.index.close()
    await parents?.index.close()
    await engine.close()
  }
  try {
    requirePartitions(children.index, tenancy)
    await requireCollection(children, settings.retrievalCollection, tenancy)
  } catch (error) {
    await close()
    throw error
  }
  return {
    find: indexCandidates({ children, parents, tenancy, nativeHybrid: settings.vectordbNativeHybrid }),
    readPassage: createReadPassage({ children, parents, tenancy }),
    wordsNeedVector: children.index.searchLexical === undefined,
    children,
    parents,
    tenancy,
    health: (signal) => children.index.health(signal),
    close,
  }
}

/** What the operator says of the children's fields says nothing of the parents'. */
const NOTHING_CHOSEN: FieldSettings = {}

async function requireCollection(collection: Collection, setting: string, { mode }: Tenancy): Promise<void> {
  const call: IndexCall = { partition: null, signal: deadlineIn(START_TIMEOUT_MS).signal }
  if (mode === "partition") return collection.index.health(call.signal)
  if (await collection.layout(call)) return
  throw new AppError(
    "invalid_configuration",
    `There is no ${collection.index.name}. RETRIEVAL_COLLECTION is ${setting}: name one that is there.`,
  )
}
