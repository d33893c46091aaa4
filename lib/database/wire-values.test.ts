import { expect, test } from "vitest"
import { fromWire, toWire } from "./wire-values.ts"

const TEXT_ARRAY = 1009

test("an array of text survives the way there and back, whatever its characters", () => {
  const pieces = ["", " ", '"', "\\", ",", "{", "}", "NULL", "null", "\n", "😀", "'"]
  for (const first of pieces) {
    for (const second of pieces) {
      const list = [first + second, null, second]
      expect(fromWire(TEXT_ARRAY, String(toWire(list)))).toEqual(list)
    }
  }
})

test("numbers keep every digit, the special ones included", () => {
  expect(toWire([0.1, -0.5, 1e21, Number.NaN, Number.NEGATIVE_INFINITY])).toBe("{0.1,-0.5,1e+21,NaN,-Infinity}")
  expect(fromWire(701, "1e+21")).toBe(1e21)
})

test("a type that is not known stays the text that PostgreSQL wrote", () => {
  expect(fromWire(20, "9007199254740993")).toBe("9007199254740993")
  expect(fromWire(99_999, "{1:0.5}/3")).toBe("{1:0.5}/3")
})
