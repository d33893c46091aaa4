import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openTestDatabase, type TestDatabase } from "../../tests/database.ts"
import { randomFrom } from "../random.ts"
import { Filter, filterToJsonpath } from "./filter.ts"

let db: TestDatabase

beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())

const MATCHES = `
  select jsonb_path_exists($1::text::jsonb, $2::text::jsonpath,
    jsonb_build_object('document_id', 'doc/1', 'kind', 'table', 'language', 'pt',
      'anomalies', '[{"kind": "second-hand", "note": "In capitals."}, {"kind": "spelling", "note": "Arouda."}]'::jsonb), true) as matches`

/** Whether a chunk with this metadata passes, as the database says. */
async function passes(metadata: object, filter: object): Promise<boolean> {
  const jsonpath = filterToJsonpath(Filter.parse(filter))
  if (jsonpath === null) return true
  const [rows = []] = await db.database.batch({ tenant: "t" }, [
    { text: MATCHES, values: [JSON.stringify(metadata), jsonpath] },
  ])
  return rows[0]?.["matches"] === true
}

const metadata = {
  year: 1998,
  price: -2.5,
  title: "Wind",
  open: true,
  nothing: null,
  tags: ["sea", "reef"],
  author: { name: "Ana", born: { year: 1950 } },
}

test.each<[filter: object, expected: boolean]>([
  [{}, true],
  [{ year: 1998 }, true],
  [{ year: "1998" }, false],
  [{ year: { eq: 1998 } }, true],
  [{ price: -2.5 }, true],
  [{ title: "Wind" }, true],
  [{ title: "wind" }, false],
  [{ open: true }, true],
  [{ open: false }, false],
  [{ nothing: null }, true],
  [{ absent: null }, false],
  [{ year: { in: [1, "1998", 1998] } }, true],
  [{ year: { in: [1, 2] } }, false],
  [{ nothing: { in: [null] } }, true],
  [{ year: { gt: 1998 } }, false],
  [{ year: { gte: 1998, lt: 1999 } }, true],
  [{ year: { gt: 1990, lte: 1997 } }, false],
  [{ title: { gte: "W", lt: "X" } }, true],
  [{ title: { gt: 3 } }, false],
  [{ absent: { lt: 3 } }, false],
  [{ year: { exists: true } }, true],
  [{ absent: { exists: true } }, false],
  [{ absent: { exists: false } }, true],
  [{ year: { exists: false } }, false],
  [{ nothing: { exists: true } }, true],
  [{ tags: "reef" }, true],
  [{ tags: "mill" }, false],
  [{ tags: { in: ["mill", "sea"] } }, true],
  [{ "author.name": "Ana" }, true],
  [{ "author.born.year": { gt: 1900 } }, true],
  [{ "author.name.first": "Ana" }, false],
  [{ author: "Ana" }, false],
  [{ year: 1998, title: "Wind", tags: "sea" }, true],
  [{ year: 1998, title: "Sun" }, false],
  [{ document_id: "doc/1" }, true],
  [{ document_id: { in: ["doc/2"] } }, false],
  [{ kind: "table", language: { in: ["pt", "en"] } }, true],
  [{ language: "en" }, false],
  [{ kind: { exists: true } }, true],
  [{ anomaly: "spelling" }, true],
  [{ anomaly: "date-conflict" }, false],
  [{ anomaly: { in: ["date-conflict", "second-hand"] } }, true],
  [{ anomaly: { exists: true } }, true],
  [{ anomaly: { exists: false } }, false],
])("%j: %j", async (filter, expected) => {
  expect(await passes(metadata, filter)).toBe(expected)
})

const HOSTILE = [
  '"',
  "\\",
  "'",
  '\\"',
  '" == "" || "" == "',
  "$",
  "@",
  "$.x",
  "@.*",
  "?(@)",
  "**",
  "[*]",
  "\u2028",
  "\u0001",
  "\u007f",
  "\t\n\r\b\f",
  "é",
  "😀",
  "𝔴",
  "/* */",
  "--",
  "$1",
  "%s",
  "{}",
  "\ufeff",
  "__proto__",
  "last",
  "to",
  "x".repeat(200),
  " ",
  "\\u0041",
]

describe("text that means something to jsonpath is only text", () => {
  test.each(HOSTILE.map((text) => [text]))("%j", async (text) => {
    expect(await passes({ value: text }, { value: text })).toBe(true)
    expect(await passes({ value: `${text}x` }, { value: text })).toBe(false)
    expect(await passes({ value: text }, { value: { in: ["other", text] } })).toBe(true)
    // A dot goes into an object, so a key that has one can't be reached.
    const keyed = JSON.parse(`{${JSON.stringify(text)}: 1}`)
    expect(await passes(keyed, keyed)).toBe(!text.includes("."))
  })
})

test.each([0, -0, 1e21, -1e-7, 5e-324, 1.797_693_134_862_315_7e308, 0.1 + 0.2, 2 ** 53])(
  "the number %d is compared exactly",
  async (number) => {
    expect(await passes({ n: number }, { n: number })).toBe(true)
    expect(await passes({ n: number }, { n: { gt: number } })).toBe(false)
    expect(await passes({ n: number }, { n: { gte: number, lte: number } })).toBe(true)
  },
)

test("any filter that is let in is a jsonpath", async () => {
  const random = randomFrom(11)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(HOSTILE))
      .join("")
      .slice(0, 190) || "x"
  const scalar = () => pick<() => unknown>([text, () => random() * 1e6 - 5e5, () => true, () => null])()
  const bound = () => pick<() => unknown>([text, () => -random()])()
  const condition = () =>
    pick<() => unknown>([
      scalar,
      () => ({ eq: scalar() }),
      () => ({ in: [scalar(), scalar(), scalar()] }),
      () => ({ gt: bound(), lte: bound(), exists: random() < 0.5 }),
    ])()
  const jsonpaths = Array.from({ length: 500 }, () => {
    const fields = Array.from({ length: 1 + Math.floor(random() * 5) }, () => [text(), condition()])
    return filterToJsonpath(Filter.parse(Object.fromEntries(fields))) ?? "$"
  })
  const [rows = []] = await db.database.batch({ tenant: "t" }, [
    { text: "select count(p::jsonpath)::int as read from unnest($1::text[]) p", values: [jsonpaths] },
  ])
  expect(rows).toEqual([{ read: 500 }])
})

test("the largest filter that is let in is read", async () => {
  const values = Array.from({ length: 200 }, (_, i) => `value ${i} ${"x".repeat(50)}`)
  const fields = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`field${i}`, { in: values }]))
  const all = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`field${i}`, values[i]]))
  expect(await passes(all, fields)).toBe(true)
  expect(await passes({ ...all, field31: "none" }, fields)).toBe(false)
})

test.each([
  [{ a: {} }],
  [{ a: { near: 3 } }],
  [{ a: { in: [] } }],
  [{ a: [1] }],
  [{ a: { gt: null } }],
  [{ a: "\u0000" }],
  [{ "\ud800": 1 }],
  [{ a: { eq: Number.NaN } }],
  [{ "": 1 }],
  [Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, 1]))],
])("%j is refused", (filter) => {
  expect(Filter.safeParse(filter).success).toBe(false)
})
