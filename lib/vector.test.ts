import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openTestDatabase, type TestDatabase } from "../tests/database.ts"
import { randomFrom } from "./random.ts"
import { halfToNumber, halfvecToSql, numberToHalf } from "./vector.ts"

const ALL_FINITE = Array.from({ length: 0x10000 }, (_, bits) => bits).filter((bits) => (bits & 0x7c00) !== 0x7c00)

test("every half is its own nearest half, and its text reads back as the same", () => {
  const texts = halfvecToSql(ALL_FINITE.map(halfToNumber)).slice(1, -1).split(",").map(Number)
  expect(ALL_FINITE.filter((bits) => numberToHalf(halfToNumber(bits)) !== bits)).toEqual([])
  expect(ALL_FINITE.filter((bits, i) => numberToHalf(texts[i] ?? Number.NaN) !== bits)).toEqual([])
})

test("between two halves the nearer is taken, and of equally near ones the even", () => {
  const wrong = ALL_FINITE.filter((bits) => {
    if (bits >= 0x7bff) return false
    const [low, high] = [halfToNumber(bits), halfToNumber(bits + 1)]
    const even = bits % 2 === 0 ? bits : bits + 1
    return (
      numberToHalf((low + high) / 2) !== even ||
      numberToHalf(low + (high - low) * 0.49) !== bits ||
      numberToHalf(-(low + (high - low) * 0.51)) !== (0x8000 | (bits + 1))
    )
  })
  expect(wrong).toEqual([])
  expect([65_519, 65_520, 1e9, Number.POSITIVE_INFINITY].map(numberToHalf)).toEqual([0x7bff, 0x7c00, 0x7c00, 0x7c00])
})

describe("in the database", () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await openTestDatabase()
  })
  afterAll(() => db.close())

  test("a vector is stored as pgvector itself would round its single-precision numbers", async () => {
    const random = randomFrom(7)
    for (const scale of [1, 0.05, 1e-4, 1e-6, 1e-8, 60_000]) {
      const vector = Float32Array.from({ length: 2_000 }, () => (random() - 0.5) * scale)
      // Nine digits hold a single exactly.
      const exact = `[${[...vector].map((x) => x.toPrecision(9)).join(",")}]`
      const [row] = await db.owner.session((session) =>
        session.query<{ same: boolean }>("select $1::text::halfvec = $2::text::halfvec as same", [
          halfvecToSql(vector),
          exact,
        ]),
      )
      expect([scale, row?.same]).toEqual([scale, true])
    }
  })

  test("what no half holds is refused by the database", async () => {
    for (const value of [65_520, Number.NaN, Number.NEGATIVE_INFINITY]) {
      const text = halfvecToSql([value])
      await expect(
        db.owner.session((session) => session.query("select $1::text::halfvec", [text])),
        text,
      ).rejects.toThrow()
    }
  })
})
