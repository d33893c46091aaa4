import { expect, test } from "vitest"
import { headingsOf, passageText } from "./passage.ts"

test("the model reads title and headings before the text, each once", () => {
  expect(passageText("Report", ["Report", "Boats", "Prices"], "Prices\n\nIce cost 12.")).toBe(
    "Report\nBoats\nPrices\n\nIce cost 12.",
  )
  expect(passageText("", [], "Ice.")).toBe("Ice.")
})

test("whatever callers keep as headings, texts alone are", () => {
  expect(headingsOf({ headings: ["A", 1, null, "B"] })).toEqual(["A", "B"])
  for (const headings of [undefined, "A", 7, {}]) expect(headingsOf({ headings })).toEqual([])
})
