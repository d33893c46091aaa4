import type { Scored } from "./candidate.ts"

/**
 * Keeps the best child of each parent. The database already sent the parent's text in place of the child's; a chunk
 * without a parent stays as it is.
 */
export function expandParents(ranked: readonly Scored[]): Scored[] {
  const seen = new Set<string>()
  return ranked.filter(({ candidate }) => {
    const shown = JSON.stringify([candidate.documentId, candidate.shownId])
    if (seen.has(shown)) return false
    seen.add(shown)
    return true
  })
}
