/** A page of a document, and whose it is. */
export interface PageAddress {
  readonly tenant: string
  readonly documentId: string
  /** From 1. */
  readonly page: number
  /** Generation of the document, where known: then what stands under a link never changes, and may be kept for ever. */
  readonly version?: string | null | undefined
}

/** The tenant that a request means when it names none; links to its documents needn't name it. */
const DEFAULT_TENANT = "primary"

/** Path of the page and its chunks. */
export function pageUrl({ version: _, ...address }: PageAddress): string {
  return `${pagePath(address)}${query(address.tenant, {})}`
}

/** Path of the picture of the whole page. */
export function pageImageUrl(address: PageAddress): string {
  return `${pagePath(address)}/image${query(address.tenant, { v: address.version })}`
}

/** Path of the picture of one chunk's part of the page. */
export function cropUrl({ tenant, documentId, page, version }: PageAddress, chunkId: string): string {
  const path = `/crop/${encodeURIComponent(documentId)}/${page}`
  return `${path}${query(tenant, { chunk: chunkId, v: version })}`
}

/** Path of a table as CSV. */
export function tableUrl(tenant: string, documentId: string, number: number): string {
  return `/documents/${encodeURIComponent(documentId)}/tables/${number}.csv${query(tenant, {})}`
}

function pagePath({ documentId, page }: PageAddress): string {
  return `/documents/${encodeURIComponent(documentId)}/pages/${page}`
}

function query(tenant: string, parameters: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined)
  if (tenant !== DEFAULT_TENANT) given.push(["source_account_id", tenant])
  return given.length === 0 ? "" : `?${new URLSearchParams(given as [string, string][])}`
}
