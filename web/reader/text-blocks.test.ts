import { expect, test } from "vitest"
import { headingsOf, textBlocks } from "./text-blocks.ts"

test("paragraphs are apart, line breaks stay, and what the metadata calls a heading is one", () => {
  expect(textBlocks("The  building\n\nWalls\nof basalt.\n \n\nA door.\n", ["The building"])).toEqual([
    { kind: "heading", text: "The  building" },
    { kind: "paragraph", text: "Walls\nof basalt." },
    { kind: "paragraph", text: "A door." },
  ])
})

test.each([{}, { headings: "x" }, { headings: [1] }])("metadata %j names no headings", (metadata) => {
  expect(headingsOf(metadata)).toEqual([])
})
