/** Where a result of one list stands in another. */
export interface Move {
  /** From 1; null: it isn't among those shown. */
  readonly place: number | null
  /** Places that it stands higher here than there; negative: lower. 0 where it is missing there. */
  readonly higher: number
}

/** Where the result at `index` of a list stands in another one, both as their results' keys in order. */
export function moveBetween(here: readonly string[], index: number, there: readonly string[]): Move {
  const at = there.indexOf(here[index] ?? "")
  return at < 0 ? { place: null, higher: 0 } : { place: at + 1, higher: at - index }
}

/** A move as a sign, without colour: `↑3`, `↓1`, `=`; what is missing there is `new`. */
export function moveSign({ place, higher }: Move): string {
  if (place === null) return "new"
  return higher === 0 ? "=" : higher > 0 ? `↑${higher}` : `↓${-higher}`
}
