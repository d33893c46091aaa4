/** What a payload that `ingest --into` wrote is known by. Nobody else's name. */
export const LAYOUT_KEY = "concordance_layout"
/** Its value. Another layout takes the next number, so that collections of both can be read. */
export const LAYOUT = 1

/**
 * The fields of such a payload, as a `FieldMapping`: not guessed, since the first records that an engine shows may be of documents
 * without pages, parents or metadata.
 */
export const OWN_FIELDS = {
  content: [],
  title: ["title"],
  document: ["document_id"],
  chunk: ["chunk_id"],
  page: ["page"],
  parent: ["parent_id"],
  language: ["language"],
  kind: ["kind"],
  metadata: ["metadata"],
} as const

/** Whether a payload is of that layout. */
export function isOwnPayload(payload: Readonly<Record<string, unknown>>): boolean {
  return payload[LAYOUT_KEY] === LAYOUT
}
