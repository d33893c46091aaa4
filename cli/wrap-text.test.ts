import { describe, expect, test } from "vitest"
import { clip, widthOf, wrapText } from "./wrap-text.ts"

describe("a text", () => {
  test("is broken between words, and what fits stays as it is", () => {
    expect(wrapText("one two  three four", 9)).toEqual(["one two", "three", "four"])
    expect(wrapText("a  b\n\nc", 9)).toEqual(["a  b", "", "c"])
  })

  test("keeps the points of a list indented under themselves", () => {
    expect(wrapText("- one two three\n12. four five", 10)).toEqual(["- one two", "  three", "12. four", "    five"])
  })

  test("keeps a long word whole, so that it can be copied", () => {
    expect(wrapText("see /a/very/long/path/to/it now", 10)).toEqual(["see", "/a/very/long/path/to/it", "now"])
  })
})

test("wide characters take two columns and combining ones none", () => {
  expect([widthOf("灯台"), widthOf("e\u0301"), widthOf("🙂a")]).toEqual([4, 1, 3])
  expect(clip("灯台守の記録", 7)).toBe("灯台守…")
  expect(clip("keeper", 6)).toBe("keeper")
})
