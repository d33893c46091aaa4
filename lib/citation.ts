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
