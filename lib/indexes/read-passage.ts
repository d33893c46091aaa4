import type { Cited } from "../citation.ts"
import { deadlineIn } from "../deadline.ts"
import { AppError } from "../errors.ts"
import type { Collection, Layout } from "./collection.ts"
import { type FieldPath, type MappedRecord, readRecord } from "./field-mapping.ts"
import { callIndex } from "./index-failure.ts"
import type { IndexCall, IndexClause, IndexRecord, SearchIndex } from "./search-index.ts"
import { mayRead, type Tenancy, type TenantView, viewOf } from "./tenancy.ts"

/**
 * The passage that a citation of this index names: a record, or a parent that one was shown as. Null where there is none that the
 * tenant may see. Throws `index_unavailable`, `deadline_exceeded`.
 */
export type ReadPassage = (tenant: string, cited: Names, timeoutMs: number) => Promise<MappedRecord | null>

interface ReadPassageDeps {
  readonly children: Collection
  readonly parents: Collection | null
  readonly tenancy: Tenancy
}

/** Records of one document and chunk: more than one only where two have the same names. */
const SAME_MAX = 10

/** Reads by the record's id, and where payloads name documents and chunks themselves, by those fields. */
export function createReadPassage({ children, parents, tenancy }: ReadPassageDeps): ReadPassage {
  return async (tenant, cited, timeoutMs) => {
    const view = viewOrNone(tenancy, tenant)
    if (!view) return null
    const call: IndexCall = { partition: view.partition, signal: deadlineIn(timeoutMs).signal }
    for (const collection of [children, parents]) {
      const layout = await collection?.layout(call)
      if (!collection || !layout) continue
      const found = await findRecord({ index: collection.index, layout, view, call }, cited)
      if (found) return found
    }
    return null
  }
}

/** Null for a tenant that an undivided index isn't for: nothing of it is there for them. */
function viewOrNone(tenancy: Tenancy, tenant: string): TenantView | null {
  try {
    return viewOf(tenancy, tenant)
  } catch (error) {
    if (error instanceof AppError && error.code === "forbidden") return null
    throw error
  }
}

interface Place {
  readonly index: SearchIndex
  readonly layout: Layout
  readonly view: TenantView
  readonly call: IndexCall
}

/** What a citation names, its page aside. */
export type Names = Pick<Cited, "documentId" | "chunkId">

async function findRecord(place: Place, cited: Names): Promise<MappedRecord | null> {
  const { index, layout, view, call } = place
  const { mapping } = layout
  const isIt = (record: IndexRecord) => {
    const { documentId, chunkId } = readRecord(mapping, record)
    // A parent that names no document stands for the one of the child that was cited.
    return chunkId === cited.chunkId && (mapping.document === null || documentId === cited.documentId)
  }
  // A record without a name of its own is cited by its id.
  const byId = await callIndex(index.name, call.signal, () => index.fetch([cited.chunkId], call))
  const found = byId.find((record) => mayRead(view, record) && isIt(record)) ?? (await findByNames(place, cited, isIt))
  return found ? readRecord(mapping, found) : null
}

/** Engines list by a filter only what is nearest to a vector, so any vector will do. */
async function findByNames(
  { index, layout, view, call }: Place,
  { documentId, chunkId }: Names,
  isIt: (record: IndexRecord) => boolean,
): Promise<IndexRecord | null> {
  const { mapping, facts, samples } = layout
  const dimensions = facts.dimensions ?? samples.find(({ vector }) => vector)?.vector?.length
  if (mapping.chunk === null || mapping.document === null || dimensions === undefined) return null
  const vector = new Float32Array(dimensions)
  vector[0] = 1
  for (const document of asWritten(documentId)) {
    for (const chunk of asWritten(chunkId)) {
      const names = [equals("document_id", mapping.document, document), equals("chunk_id", mapping.chunk, chunk)]
      const query = { vector, limit: SAME_MAX, filter: [...view.clauses, ...names], withVectors: false }
      const records = await callIndex(index.name, call.signal, () => index.searchDense(query, call)).catch(noneOfThat)
      const found = records.find(isIt)
      if (found) return found
    }
  }
  return null
}

/** A name as payloads may have it: a citation writes numbers as texts do. */
const asWritten = (name: string): (string | number)[] => (String(Number(name)) === name ? [name, Number(name)] : [name])

const equals = (field: string, path: FieldPath, value: string | number): IndexClause => ({
  ...{ field, path, value },
  operator: "eq",
})

/** An engine that knows the type of a field refuses to compare it with another. */
function noneOfThat(error: unknown): readonly IndexRecord[] {
  if (error instanceof AppError && error.code === "invalid_request") return []
  throw error
}
