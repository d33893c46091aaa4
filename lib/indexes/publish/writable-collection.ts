import { AppError } from "../../errors.ts"
import { type CollectionSetting, requireComparable, type VectorModel } from "../collection.ts"
import { callIndex } from "../index-failure.ts"
import { isOwnPayload } from "../own-layout.ts"
import type { IndexCall, IndexRecord, NewRecord, SearchIndex } from "../search-index.ts"
import { mayRead, type TenantView } from "../tenancy.ts"

/** Runs one request to the engine: it fails when its time is over, or when the work is stopped. */
export type InTime = <T>(run: (call: IndexCall) => Promise<T>) => Promise<T>

/** A collection that one tenant's records are written into. */
export interface WritableCollection {
  /** Writes the records; the collection is made before the first of them, where there is none. */
  upsert(records: readonly NewRecord[]): Promise<void>
  delete(ids: readonly string[]): Promise<void>
  /** Those of the ids that are there. */
  present(ids: readonly string[]): Promise<ReadonlySet<string>>
}

interface WritableOptions {
  readonly index: SearchIndex
  /** What names the collection. */
  readonly setting: CollectionSetting
  readonly model: VectorModel
  readonly view: TenantView
  readonly inTime: InTime
}

/** Records that show whose a collection is. */
const SAMPLES = 20
/** Records of one request, for those that adapters don't divide; an answer holds their texts. */
const BATCH = 100

/**
 * Looks at a collection before anything is written into it. There may be none yet.
 *
 * @throws AppError `invalid_configuration` where its vectors are of other dimensions than the model's, where it holds records that
 *   Concordance didn't write, or where its engine can't be written; `index_unavailable`, `deadline_exceeded`
 */
export async function openWritable({
  index,
  setting,
  model,
  view,
  inTime,
}: WritableOptions): Promise<WritableCollection> {
  const { upsert, delete: remove, ensureCollection } = index
  if (!upsert || !remove || !ensureCollection)
    throw new AppError("invalid_configuration", `${index.name} can't be written. Choose another engine.`)
  const guarded = <T>(run: (call: IndexCall) => Promise<T>): Promise<T> =>
    inTime((call) => callIndex(index.name, call.signal, () => run(call)))
  const facts = await guarded((call) => index.describe(call))
  if (facts) {
    const samples = await guarded((call) => index.sample(SAMPLES, call))
    requireComparable(index.name, facts, samples, { ...model, setting })
    requireOwn(index.name, samples, setting)
  }
  let isThere = facts !== null
  let isReadable = view.clauses.length === 0
  const found = (ids: readonly string[]) => guarded((call) => index.fetch(ids, call))
  return {
    async upsert(records) {
      if (!isThere) await guarded((call) => ensureCollection(model.dimensions, call))
      isThere = true
      await guarded((call) => upsert(records, call))
      if (isReadable) return
      const [written] = await found(records.slice(0, 1).map(({ id }) => id))
      if (written) requireReadable(index.name, written, view)
      isReadable = written !== undefined
    },
    async delete(ids) {
      for (let i = 0; isThere && i < ids.length; i += BATCH) {
        const some = ids.slice(i, i + BATCH)
        await guarded((call) => remove(some, call))
      }
    },
    async present(ids) {
      const there = new Set<string>()
      for (let i = 0; isThere && i < ids.length; i += BATCH)
        for (const { id } of await found(ids.slice(i, i + BATCH))) there.add(id)
      return there
    },
  }
}

/** Records of two layouts in one collection: neither would be read right, here or by whom the others are of. */
function requireOwn(name: string, samples: readonly IndexRecord[], setting: CollectionSetting): void {
  const foreign = samples.filter(({ payload }) => !isOwnPayload(payload)).length
  if (foreign === 0) return
  throw new AppError(
    "invalid_configuration",
    `${name} holds records that Concordance did not write: ${foreign} of ${samples.length} looked at. Nothing was written. Set ${setting} to a collection of its own, which is made.`,
  )
}

/** A field that the engine doesn't keep would hide every record from its own tenant. */
function requireReadable(name: string, written: IndexRecord, view: TenantView): void {
  if (mayRead(view, written)) return
  throw new AppError(
    "invalid_configuration",
    `${name} does not keep the field that VECTORDB_TENANT_FIELD names as it was written: nobody could find these records. Set it to a plain name, of letters alone, that the collection has no column of.`,
  )
}
