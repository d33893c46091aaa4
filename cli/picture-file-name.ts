import type { Cited } from "../lib/citation.ts"

/** Name for the picture of a passage. Letters, digits and hyphens alone: an id is no path. */
export function pictureFileName({ documentId, chunkId, page }: Cited, format: string): string {
  const name = documentId
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80)
  const place = page === undefined ? "" : `-p${String(page).padStart(3, "0")}`
  return `${name || "document"}${place}-${chunkId.replace(/\W+/g, "")}.${format}`
}
