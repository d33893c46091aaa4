/** A chunk that a document already holds. */
export interface StoredChunk {
  readonly id: string
  readonly hash: string
}

/**
 * Ids for the chunks of a document that is indexed again: a chunk whose hash is unchanged keeps its id, a new one takes
 * the next number after `last`, the highest ever given, so that an old citation never shows another text. `prefix` is `c`
 * for chunks, `p` for parents; both count on from the same number. A new chunk that comes with an id of its own
 * (`givenIds`, by position: those of a bundle) keeps that, where its number was never given.
 */
export function assignIds(
  hashes: readonly string[],
  stored: readonly StoredChunk[],
  last: number,
  prefix: "c" | "p",
  givenIds: readonly (string | undefined)[] = [],
): { readonly ids: string[]; readonly last: number } {
  const free = new Map<string, string[]>()
  for (const { id, hash } of stored) {
    if (id.startsWith(prefix)) free.set(hash, [...(free.get(hash) ?? []), id])
  }
  const ids = keepOwn(hashes, givenIds, free)
  for (const [i, hash] of hashes.entries()) ids[i] ??= free.get(hash)?.shift()
  let highest = last
  const taken = new Set(ids)
  for (const [i, given] of givenIds.entries()) {
    const number = numberOf(given, prefix)
    if (ids[i] !== undefined || number <= last || taken.has(given)) continue
    ids[i] = given
    taken.add(given)
    highest = Math.max(highest, number)
  }
  return { ids: hashes.map((_, i) => ids[i] ?? `${prefix}${String(++highest).padStart(4, "0")}`), last: highest }
}

/** Of equal chunks, those that come with the very id they have keep it, rather than each other's. */
function keepOwn(
  hashes: readonly string[],
  givenIds: readonly (string | undefined)[],
  free: Map<string, string[]>,
): (string | undefined)[] {
  return hashes.map((hash, i) => {
    const given = givenIds[i]
    const ids = free.get(hash) ?? []
    if (given === undefined || !ids.includes(given)) return undefined
    free.set(
      hash,
      ids.filter((id) => id !== given),
    )
    return given
  })
}

/** 42 of `c0042`; 0 of what is no id of this prefix: only what prints back as it was given is one. */
function numberOf(id: string | undefined, prefix: string): number {
  const number = id !== undefined && /^\d{4,9}$/.test(id.slice(1)) ? Number(id.slice(1)) : 0
  return id === `${prefix}${String(number).padStart(4, "0")}` ? number : 0
}
