import { expect, test } from "vitest"
import { tableBlocks } from "./table-blocks.ts"

test("a table's heading stays words, its rows become cells, short rows are filled up", () => {
  expect(tableBlocks("Ice sold\n\nQuarter | Sold\nApril | 196\nYear")).toEqual([
    { text: "Ice sold" },
    {
      rows: [
        ["Quarter", "Sold"],
        ["April", "196"],
        ["Year", ""],
      ],
    },
  ])
})

test("Markdown's tables read too, without the rule below their head", () => {
  expect(tableBlocks("| a | b |\n|---|:-:|\n| 1 |  |")).toEqual([
    {
      rows: [
        ["a", "b"],
        ["1", ""],
      ],
    },
  ])
})

test("an empty first or last cell stays a cell", () => {
  expect(tableBlocks(" | y\n | 2\n- | ")).toEqual([
    {
      rows: [
        ["", "y"],
        ["", "2"],
        ["-", ""],
      ],
    },
  ])
})
