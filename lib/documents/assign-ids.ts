/** A chunk that a document already holds. */
export interface StoredChunk {
  readonly id: string
  readonly hash: string
}

/**
 * Ids for the chunks of a document that is indexed again: a chunk whose hash is unchanged keeps its id, a new one takes
 * the next number after `last`, the highest ever given, so that an old citation never shows another text. `prefix` is `c`
 * for chunks, `p` for parents; both count on from the same number.
 */
export function assignIds(
  hashes: readonly string[],
  stored: readonly StoredChunk[],
  last: number,
  prefix: "c" | "p",
): { readonly ids: string[]; readonly last: number } {
  const free = new Map<string, string[]>()
  for (const { id, hash } of stored) {
    if (id.startsWith(prefix)) free.set(hash, [...(free.get(hash) ?? []), id])
  }
  let highest = last
  const ids = hashes.map((hash) => free.get(hash)?.shift() ?? `${prefix}${String(++highest).padStart(4, "0")}`)
  return { ids, last: highest }
}
