import type { IndexFilter } from "../../lib/indexes/search-index.ts"
import { Filter, filterClauses } from "../../lib/search/filter.ts"

type Random = () => number
const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T

const TEXTS = ["reef", "Reef", "é", "日本", "a'b\"c\\", "", "10", "true", "x y", "😀"]
const NUMBERS = [0, -1, 1, 1.5, 10, 10.5, 2_000_000_000, 1998]

/** Metadata as foreign indexes hold it: values of every type under few keys, so that filters meet them. */
export function randomPayload(random: Random): Record<string, unknown> {
  const payload: Record<string, unknown> = {}
  const value = () =>
    pick<() => unknown>(random, [() => pick(random, TEXTS), () => pick(random, NUMBERS), () => random() < 0.5])()
  for (const key of ["a", "b", "naïve key"]) if (random() < 0.7) payload[key] = value()
  if (random() < 0.5) payload["deep"] = { c: value(), ...(random() < 0.5 && { d: { e: value() } }) }
  if (random() < 0.3) payload["tags"] = Array.from({ length: Math.floor(random() * 3) }, () => pick(random, TEXTS))
  if (random() < 0.2) payload["nothing"] = null
  return payload
}

/** A filter over such metadata, of one to three clauses, its paths those of the payload itself. */
export function randomFilter(random: Random): IndexFilter {
  const fields = ["a", "b", "naïve key", "deep.c", "deep.d.e", "tags", "nothing", "absent"]
  const scalar = () =>
    pick<() => unknown>(random, [
      () => pick(random, TEXTS),
      () => pick(random, NUMBERS),
      () => random() < 0.5,
      () => null,
    ])()
  const bound = () => (random() < 0.7 ? pick(random, NUMBERS) : pick(random, TEXTS))
  const condition = () =>
    pick<() => unknown>(random, [
      scalar,
      () => ({ in: [scalar(), scalar(), scalar()] }),
      () => ({ gte: pick(random, NUMBERS), lt: pick(random, NUMBERS) }),
      () => ({ [pick(random, ["gt", "gte", "lt", "lte"])]: bound() }),
      () => ({ exists: random() < 0.5 }),
    ])()
  const count = 1 + Math.floor(random() * 2)
  const filter = Filter.parse(
    Object.fromEntries(Array.from({ length: count }, () => [pick(random, fields), condition()])),
  )
  return filterClauses(filter).map((clause) => ({ ...clause, path: clause.field.split(".") }))
}
