import { DocumentId, StorableText, TenantId } from "../shapes.ts"

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

/** What a `doc:` URI names; null for any other text, and for ids that no row can have. Pages may be written `p007`, `p7` or `7`. */
export function parseDocUri(uri: string): DocAddress | null {
  const [, document, page, ofTenant, chunk] = PARTS.exec(uri) ?? []
  if (document === undefined || (page === undefined && chunk === undefined)) return null
  const documentId = decodedAs(DocumentId, document)
  const tenant = ofTenant === undefined ? undefined : decodedAs(TenantId, ofTenant)
  const chunkId = chunk === undefined ? undefined : decodedAs(StorableText, chunk)
  if (documentId === null || tenant === null || chunkId === null) return null
  return {
    documentId,
    ...(page !== undefined && { page: Number(page) }),
    ...(chunkId !== undefined && { chunkId }),
    ...(tenant !== undefined && { tenant }),
  }
}

/** A percent-encoded part of a URI as text; null where it is malformed or not of the shape. */
export function decodedAs(shape: typeof StorableText, part: string): string | null {
  try {
    return shape.safeParse(decodeURIComponent(part)).data ?? null
  } catch {
    return null
  }
}
