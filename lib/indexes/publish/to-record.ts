import { LAYOUT, LAYOUT_KEY } from "../own-layout.ts"
import type { NewRecord } from "../search-index.ts"
import type { Tenancy } from "../tenancy.ts"
import { recordId } from "./record-id.ts"
import type { StoredChunk } from "./stored-chunks.ts"

interface ChunkPlace {
  readonly tenant: string
  readonly documentId: string
  readonly tenancy: Tenancy
}

/** A chunk, or a parent, as a record with the fields of `OWN_FIELDS`; of a shared collection with its tenant where that is looked for. */
export function toRecord(chunk: StoredChunk, vector: ArrayLike<number>, place: ChunkPlace): NewRecord {
  const { tenant, documentId, tenancy } = place
  const { id, parentId, page, title, language, kind, metadata, content } = chunk
  const payload = {
    document_id: documentId,
    chunk_id: id,
    ...(parentId !== null && { parent_id: recordId(tenant, documentId, parentId) }),
    title,
    ...(page !== null && { page }),
    language,
    kind,
    metadata,
    [LAYOUT_KEY]: LAYOUT,
  }
  return {
    id: recordId(tenant, documentId, id),
    text: content,
    payload: tenancy.mode === "field" ? withValue(payload, tenancy.field.split("."), tenant) : payload,
    vector,
  }
}

function withValue(
  target: Readonly<Record<string, unknown>>,
  path: readonly string[],
  value: string,
): Record<string, unknown> {
  const [key = "", ...rest] = path
  if (rest.length === 0) return { ...target, [key]: value }
  const inner = target[key]
  const isObject = typeof inner === "object" && inner !== null && !Array.isArray(inner)
  return { ...target, [key]: withValue(isObject ? (inner as Record<string, unknown>) : {}, rest, value) }
}
