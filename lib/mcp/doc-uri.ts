/** What a `doc:` URI names: a page, a chunk, or a chunk on its page. */
export interface DocAddress {
  readonly documentId: string
  /** From 1. */
  readonly page?: number | undefined
  readonly chunkId?: string | undefined
  /** Whose document, where that isn't the caller's own tenant. */
  readonly tenant?: string | undefined
}

/** The query parameter of a tenant, as the HTTP routes have it. */
const TENANT = "source_account_id"

/** `doc://{doc}/p007#c0042`, of a chunk without a page `doc://{doc}#c0042`; ids are percent-encoded. */
export function docUri({ documentId, page, chunkId, tenant }: DocAddress): string {
  const path = page === undefined ? "" : `/p${String(page).padStart(3, "0")}`
  const query = tenant === undefined ? "" : `?${TENANT}=${encodeURIComponent(tenant)}`
  const fragment = chunkId === undefined ? "" : `#${encodeURIComponent(chunkId)}`
  return `doc://${encodeURIComponent(documentId)}${path}${query}${fragment}`
}

/** The parts of a `doc:` URI: document, path, query, fragment. A URL's own parser would take a document's id for a host. */
const PARTS = /^doc:\/\/([^/?#]+)(?:\/p?(\d{1,6}))?(?:\?source_account_id=([^#&]*))?(?:#(.+))?$/

/** What a `doc:` URI names; null for any other text. Pages may be written `p007`, `p7` or `7`. */
export function parseDocUri(uri: string): DocAddress | null {
  const [, document, page, tenant, chunk] = PARTS.exec(uri) ?? []
  const documentId = decoded(document)
  const chunkId = chunk === undefined ? undefined : decoded(chunk)
  if (documentId === undefined || (chunk !== undefined && chunkId === undefined)) return null
  if (page === undefined && chunkId === undefined) return null
  return {
    documentId,
    ...(page !== undefined && { page: Number(page) }),
    ...(chunkId !== undefined && { chunkId }),
    ...(tenant !== undefined && { tenant: decoded(tenant) }),
  }
}

function decoded(part: string | undefined): string | undefined {
  if (part === undefined) return undefined
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
