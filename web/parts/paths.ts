import { type Cited, parseCitation } from "../../lib/citation.ts"

/** Where the reader shows a document, its page and its passage: `/d/doc/p007#c0042`. */
export function readerPath({ documentId, page, chunkId }: Partial<Cited> & Pick<Cited, "documentId">): string {
  const at = page === undefined ? "" : `/p${String(page).padStart(3, "0")}`
  return `/d/${encodeURIComponent(documentId)}${at}${chunkId === undefined ? "" : `#${encodeURIComponent(chunkId)}`}`
}

/** Where the reader shows what a citation names; null of what isn't one. */
export function citedPath(citation: string): string | null {
  const cited = parseCitation(citation)
  return cited && readerPath(cited)
}

/** The page that `p007` names; null of anything else. */
export function pageOf(segment: string | undefined): number | null {
  const digits = /^p(\d{1,6})$/.exec(segment ?? "")?.[1]
  return digits === undefined ? null : Number(digits)
}
