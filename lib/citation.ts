/** A passage that can be cited: a chunk of a document, on a page where it has one. */
export interface Cited {
  readonly documentId: string
  readonly chunkId: string
  /** First page of the chunk, from 1. */
  readonly page?: number | undefined
}

/** Characters that would end a part of a citation early, as percent escapes (`%` itself among them, so that it reads back). */
function escapePart(text: string): string {
  return text.replace(/[%[\]#/]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** `[[doc/p007#c0042]]`; of a chunk without a page `[[doc#c0042]]`. */
export function formatCitation({ documentId, chunkId, page }: Cited): string {
  const pagePart = page === undefined ? "" : `/p${String(page).padStart(3, "0")}`
  return `[[${escapePart(documentId)}${pagePart}#${escapePart(chunkId)}]]`
}

/** What a citation names; null for any other text. The brackets may be left out, as a shell likes it. */
export function parseCitation(text: string): Cited | null {
  const parts = /^(?:\[\[)?([^[\]#/]+)(?:\/p(\d{1,6}))?#([^[\]#/]+?)(?:\]\])?$/.exec(text.trim())
  const documentId = unescapePart(parts?.[1])
  const chunkId = unescapePart(parts?.[3])
  if (documentId === null || chunkId === null) return null
  return { documentId, chunkId, ...(parts?.[2] !== undefined && { page: Number(parts[2]) }) }
}

function unescapePart(part: string | undefined): string | null {
  if (part === undefined || /%(?!25|5B|5D|23|2F)/.test(part)) return null
  return part.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
