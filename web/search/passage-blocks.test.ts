import { expect, test } from "vitest"
import { type Piece, paragraphsOf, passageBlocks } from "./passage-blocks.ts"

const TABLE = "Ice sold\n\nQuarter | Sold | Price\n--- | --- | ---\nJuly | 285 | 62\n| Year | 698 | |\n\nSigned."

const markedIn = ({ text, marks }: Piece) => marks.map(({ start, end }) => text.slice(start, end))

test("lines with bars are rows of a table, and text around them stays text", () => {
  const blocks = passageBlocks(TABLE, [])
  expect(blocks.map(({ kind }) => kind)).toEqual(["text", "table", "text"])
  const table = blocks[1]
  expect(table?.kind === "table" && table.rows.map((row) => row.map(({ text }) => text))).toEqual([
    ["Quarter", "Sold", "Price"],
    ["July", "285", "62"],
    ["Year", "698", ""],
  ])
})

test("a mark stays on its word, in a cell and in the text after a table", () => {
  const marks = ["Sold", "285", "698", "Signed"].map((word) => ({
    start: TABLE.indexOf(word),
    end: TABLE.indexOf(word) + word.length,
  }))
  const pieces = passageBlocks(TABLE, marks).flatMap((block) =>
    block.kind === "table" ? block.rows.flat() : [block.piece],
  )
  expect(pieces.flatMap(markedIn)).toEqual(["Sold", "285", "698", "Signed"])
})

test("one line with a bar is no table", () => {
  expect(passageBlocks("either | or", []).map(({ kind }) => kind)).toEqual(["text"])
})

test("empty lines part paragraphs, and each keeps its marks", () => {
  const text = "One.\n\n  \nTwo three.\nFour."
  const start = text.indexOf("three")
  const paragraphs = paragraphsOf({ text, marks: [{ start, end: start + 5 }] })
  expect(paragraphs.map((paragraph) => paragraph.text)).toEqual(["One.", "Two three.\nFour."])
  expect(paragraphs.map(markedIn)).toEqual([[], ["three"]])
})
