import type { Database } from "../../database/database.ts"
import { AppError } from "../../errors.ts"
import type { VectorModel } from "../collection.ts"
import type { NewRecord } from "../search-index.ts"
import type { Tenancy } from "../tenancy.ts"
import { createPublications, type Publications, type PublishedState } from "./publications.ts"
import { recordId } from "./record-id.ts"
import { readChunks, type StoredChunk } from "./stored-chunks.ts"
import { toRecord } from "./to-record.ts"
import type { WritableCollection } from "./writable-collection.ts"

/** The model, as it reads what has no vector of it yet: parents, and chunks that came with vectors of their own. */
export interface PassageModel extends VectorModel {
  /** Vectors of unit length, one a passage, and how many it read only in part. Throws what the model throws. */
  embed(
    passages: readonly StoredChunk[],
    signal: AbortSignal,
  ): Promise<{ readonly vectors: readonly Float32Array[]; readonly truncated: number }>
}

/** One of the two collections that a document's records go into. */
export interface PublishedCollection {
  readonly collection: WritableCollection
  /** Engine, place and name: the same each time. */
  readonly target: string
  /** Chunks; false: parents. */
  readonly searchable: boolean
}

export interface PublishOptions {
  /** Whether documents that are there already and aren't named follow what they are here by now. */
  readonly others: boolean
  /** Records done, of all that are to be written. */
  readonly onProgress?: (done: number, total: number) => void
}

/** What `publish` did. */
export interface PublishedTally {
  /** Documents written, each once, whichever collections it was missing in. */
  readonly written: number
  readonly unchanged: number
  /** Documents that aren't here any more, and so aren't there either. */
  readonly removed: number
  readonly records: number
  /** Passages that the model read only in part. */
  readonly truncated: number
}

export interface PublicationDeps {
  readonly database: Database
  readonly tenant: string
  readonly tenancy: Tenancy
  readonly model: PassageModel
  /** In the order in which they are written: parents first, so that no hit is without its own. */
  readonly collections: readonly PublishedCollection[]
  readonly signal: AbortSignal
}

/** Makes the named documents there what they are here. */
export type Publish = (documentIds: readonly string[], options: PublishOptions) => Promise<PublishedTally>

/** How often a document that is replaced while it is written is begun anew. */
const ATTEMPTS = 5

/**
 * Writes a tenant's documents, as they are served here, into collections elsewhere, one after the other, and removes there what
 * isn't here any more. A document that is there in its version is left as it is, unless its first record is missing. What is
 * stopped at any point is finished by the next call; two at once for one collection write the same.
 *
 * Throws as `openWritable` does, what the model throws, the signal's reason, and `conflict` for a document that doesn't stand still.
 */
export function createPublish(deps: PublicationDeps): Publish {
  return async (documentIds, { others, onProgress }) => {
    const steps = await plan(deps, documentIds, others)
    const total = steps.stale.reduce((sum, { records }) => sum + records, 0)
    let done = 0
    let truncated = 0
    for (const { shelf, id } of steps.stale) {
      await publishDocument(deps, shelf, id, (records, cut) => {
        done += records
        truncated += cut
        onProgress?.(Math.min(done, total), total)
      })
    }
    const touched = new Map(steps.stale.map(({ id, isServed }) => [id, isServed]))
    const written = [...touched.values()].filter(Boolean).length
    return {
      written,
      unchanged: steps.known.size - touched.size,
      removed: touched.size - written,
      records: done,
      truncated,
    }
  }
}

interface Shelf extends PublishedCollection {
  readonly publications: Publications
}

interface Step {
  readonly shelf: Shelf
  readonly id: string
  readonly isServed: boolean
  readonly records: number
}

/** What is to be done, document by document, and the documents that were looked at: served here, or known to be there. */
async function plan(
  { database, tenant, model, collections }: PublicationDeps,
  ids: readonly string[],
  others: boolean,
) {
  const known = new Set<string>()
  const stale: Step[] = []
  for (const one of collections) {
    const { target, searchable, collection } = one
    const publications = createPublications({ database, tenant, target, searchable, model: model.model })
    const states = (await publications.states(ids, others)).filter(({ version, held }) => version !== null || held)
    const missing = await missingOf(collection, tenant, states)
    for (const { id, version, current, records } of states) {
      known.add(id)
      if (current && !missing.has(id)) continue
      stale.push({
        shelf: { ...one, publications },
        id,
        isServed: version !== null,
        records: version === null ? 0 : records,
      })
    }
  }
  // By document, so that what is stopped has left whole ones; the sort keeps the order of collections.
  return { known, stale: stale.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)) }
}

/** Documents that should be there and whose first record isn't: the collection was emptied, or is another of that name. */
async function missingOf(
  collection: WritableCollection,
  tenant: string,
  states: readonly PublishedState[],
): Promise<ReadonlySet<string>> {
  const firsts = states.flatMap(({ id, current, first }) =>
    current && first !== null ? [{ id, record: recordId(tenant, id, first) }] : [],
  )
  const there = await collection.present(firsts.map(({ record }) => record))
  return new Set(firsts.filter(({ record }) => !there.has(record)).map(({ id }) => id))
}

type Note = (records: number, truncated: number) => void

async function publishDocument(deps: PublicationDeps, shelf: Shelf, id: string, note: Note): Promise<void> {
  const { tenant, signal } = deps
  const { collection, publications } = shelf
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    signal.throwIfAborted()
    const { version, ids, held } = await publications.standing(id)
    await publications.begin(id, [...new Set([...held, ...ids])])
    if (version !== null) await writeChunks(deps, shelf, { id, version }, note)
    const kept = new Set(version === null ? [] : ids)
    const gone = held.filter((chunkId) => !kept.has(chunkId))
    await collection.delete(gone.map((chunkId) => recordId(tenant, id, chunkId)))
    const isDone = version === null ? await publications.forget(id) : await publications.finish(id, version, ids)
    if (isDone) return
  }
  throw new AppError("conflict", "A document was replaced each time that it was written. Run the command again.")
}

async function writeChunks(
  { database, tenant, tenancy, model, signal }: PublicationDeps,
  { searchable, collection }: Shelf,
  { id: documentId, version }: { readonly id: string; readonly version: string },
  note: Note,
): Promise<void> {
  const asked = { tenant, documentId, version, searchable, model: model.model }
  for await (const chunks of readChunks(database, asked)) {
    signal.throwIfAborted()
    const { vectors, truncated } = await vectorsOf(chunks, model, signal)
    const records = chunks.map(
      (chunk, i): NewRecord => toRecord(chunk, vectors[i] ?? [], { tenant, documentId, tenancy }),
    )
    await collection.upsert(records)
    note(records.length, truncated)
  }
}

/** Those that are stored, and for the others the model's. */
async function vectorsOf(chunks: readonly StoredChunk[], model: PassageModel, signal: AbortSignal) {
  const without = chunks.filter(({ vector }) => vector === null)
  if (without.length === 0) return { vectors: chunks.map(({ vector }) => vector), truncated: 0 }
  const { vectors, truncated } = await model.embed(without, signal)
  const made = new Map(without.map(({ id }, i) => [id, vectors[i] ?? null]))
  return { vectors: chunks.map(({ id, vector }) => vector ?? made.get(id) ?? null), truncated }
}
