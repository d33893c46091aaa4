import { expect, test } from "vitest"
import type { AppError } from "../../lib/errors.ts"
import { matchesFilter } from "../../lib/indexes/filter-clause.ts"
import type { IndexFilter } from "../../lib/indexes/search-index.ts"
import { readClass } from "../../lib/indexes/weaviate/weaviate-class.ts"
import { type Where, weaviateFilter } from "../../lib/indexes/weaviate/weaviate-filter.ts"
import { filterClauses } from "../../lib/search/filter.ts"
import { matchesWeaviate } from "./stub-weaviate-filter.ts"

const PROPERTIES = [
  { name: "whole", dataType: ["int"] },
  { name: "wholes", dataType: ["int[]"] },
  { name: "when", dataType: ["date"] },
  { name: "key", dataType: ["uuid"] },
  { name: "words", dataType: ["text"], tokenization: "word" },
  { name: "lower", dataType: ["text"], tokenization: "lowercase" },
  { name: "place", dataType: ["geoCoordinates"] },
  { name: "hidden", dataType: ["text"], indexFilterable: false },
]
const found = readClass({ properties: PROPERTIES }, "C", { vector: undefined, isDivided: false }, "C")

const KEY = "00000000-0000-4000-8000-000000000001"
const PAYLOADS = [
  { whole: 1, wholes: [1, 5], when: "2020-01-01T00:00:00Z", key: KEY, words: "Salt cod", lower: "Salt-cod" },
  { whole: 2, wholes: [2], when: "2020-01-01T01:00:00+01:00", words: "salt cod", lower: "salt-cod" },
  { whole: -1, words: "cod", lower: "cod" },
  {},
]
const VALUES = [
  1,
  1.5,
  2,
  -1,
  -0.5,
  5,
  "2020-01-01T00:00:00Z",
  KEY,
  KEY.toUpperCase(),
  "salt cod",
  "Salt-cod",
  "cod",
  true,
  null,
]

/** Arrays of Weaviate's as REST writes them. */
function asRest(where: Where): Record<string, unknown> {
  const { valueText, operands, ...rest } = where as Where & { operands?: Where[] }
  return {
    ...rest,
    ...(valueText !== undefined && (Array.isArray(valueText) ? { valueTextArray: valueText } : { valueText })),
    ...(operands && { operands: operands.map(asRest) }),
  }
}

/** Ids of the payloads that the translation lets through, looked at again where it is loose; null where it is refused. */
function through(filter: IndexFilter): number[] | null {
  try {
    const { where, isLoose } = weaviateFilter(filter, found)
    if (where === null) return []
    return PAYLOADS.flatMap((payload, i) => {
      const object = { id: KEY, properties: payload, vectors: new Map() }
      const isIn = matchesWeaviate(where && asRest(where), object, found.properties)
      return isIn && (!isLoose || matchesFilter(filter, { id: KEY, payload })) ? [i] : []
    })
  } catch (error) {
    expect((error as AppError).code).toBe("invalid_request")
    return null
  }
}

test("clauses on whole numbers, dates, UUIDs and worded texts mean what they mean in memory", () => {
  let answered = 0
  for (const { name } of PROPERTIES) {
    for (const value of VALUES) {
      const conditions = [{ eq: value }, { in: [value, 2, "cod"] }]
      if (typeof value === "number" || typeof value === "string")
        for (const operator of ["gt", "gte", "lt", "lte"]) conditions.push({ [operator]: value } as never)
      for (const condition of conditions) {
        const filter = filterClauses({ [name]: condition }).map((clause) => ({ ...clause, path: [name] }))
        const got = through(filter)
        if (got === null) continue
        answered++
        const expected = PAYLOADS.flatMap((payload, i) => (matchesFilter(filter, { id: KEY, payload }) ? [i] : []))
        expect(got, JSON.stringify(filter)).toEqual(expected)
      }
    }
  }
  expect(answered).toBeGreaterThan(300)
})

test("what Weaviate can't be asked is refused by the field's name", () => {
  const ask = (field: string, condition: object) => () =>
    weaviateFilter(
      filterClauses({ [field]: condition as never }).map((clause) => ({ ...clause, path: field.split(".") })),
      found,
    )
  expect(ask("hidden", { eq: "a" })).toThrow(/^filter\.hidden: eq .*weaviate/)
  expect(ask("place.latitude", { gt: 1 })).toThrow(/^filter\.place\.latitude: gt .*nested/)
  expect(ask("words", { eq: "…" })).toThrow(/words/)
  expect(ask("words", { gt: "a" })).toThrow(/numbers/)
  expect(ask("whole", { exists: true })).toThrow(/exists/)
  expect(ask("whole", { lt: 1e300 })).toThrow(/2\^53/)
})
