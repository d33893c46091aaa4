import { expect, test } from "vitest"
import type { PageText, Word } from "../page.ts"
import { packPage, unpackPage } from "./page-draft.ts"

const word = (i: number): Word => ({
  text: i % 7 === 0 ? "pre-" : `wörd\u0000${i}`,
  x0: 50 + (i % 12) * 40.123456,
  y0: 60 + Math.floor(i / 12) * 13.987654,
  x1: 80 + (i % 12) * 40.123456,
  y1: 71 + Math.floor(i / 12) * 13.987654,
  fontSize: 10.91,
  bold: i % 5 === 0,
  hyphenated: i % 7 === 0,
})

const PAGE: PageText = {
  number: 3,
  width: 595.276,
  height: 841.89,
  source: "ocr",
  confidence: 0.93,
  words: Array.from({ length: 500 }, (_, i) => word(i)),
  figures: [{ x0: 1, y0: 2, x1: 3, y1: 4 }],
  rules: [{ x0: 1.005, y0: 2, x1: 300, y1: 2.5 }],
}

test("a page reads back with every word where it was, to a hundredth of a point", () => {
  const read = unpackPage(packPage({ number: 3, text: PAGE, imageKey: "k", warning: null }))
  expect(read).toMatchObject({ ...PAGE, words: expect.any(Array), rules: expect.any(Array) })
  expect(read?.words).toHaveLength(500)
  for (const [i, { x0, y0, x1, y1, ...rest }] of (read?.words ?? []).entries()) {
    const was = PAGE.words[i] ?? word(0)
    expect(rest).toEqual({ text: was.text, fontSize: was.fontSize, bold: was.bold, hyphenated: was.hyphenated })
    for (const [edge, value] of Object.entries({ x0, y0, x1, y1 })) {
      expect(Math.abs(value - was[edge as "x0"])).toBeLessThanOrEqual(0.00501)
    }
  }
})

test("a full page takes less than half of what its JSON would, and holds nothing that a text column can't", () => {
  const { content } = packPage({ number: 3, text: PAGE, imageKey: "k", warning: null })
  expect(content.length).toBeLessThan(JSON.stringify(PAGE).length / 2.5)
  expect(content).not.toContain("\u0000")
})

test("a page that could not be read has no text, and keeps why", () => {
  const row = packPage({ number: 9, text: null, imageKey: null, warning: "damaged" })
  expect(row).toMatchObject({ number: 9, width: null, source: "none", warning: "damaged" })
  expect(unpackPage(row)).toBeNull()
})
