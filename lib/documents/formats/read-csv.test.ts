import { expect, test } from "vitest"
import { FLOW_LIMITS } from "./block-writer.ts"
import { readCsv } from "./read-csv.ts"

const read = (text: string) => readCsv(new TextEncoder().encode(text))
const table = (text: string) => read(text).blocks[0]?.table

test.each([
  [
    "commas",
    "a,b\n1,2",
    [
      ["a", "b"],
      ["1", "2"],
    ],
    1,
  ],
  [
    "semicolons, with commas in numbers",
    "a;b\n1,5;2,5\n1;2",
    [
      ["a", "b"],
      ["1,5", "2,5"],
      ["1", "2"],
    ],
    1,
  ],
  [
    "tabs",
    "a\tb\r\n1\t2\r\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
    1,
  ],
  [
    "bars",
    "a|b|c\n1|2|3",
    [
      ["a", "b", "c"],
      ["1", "2", "3"],
    ],
    1,
  ],
  [
    "what Excel declares",
    "sep=;\r\na;b\r\n1;2",
    [
      ["a", "b"],
      ["1", "2"],
    ],
    1,
  ],
  [
    "quotes with delimiters and line breaks inside",
    'a,b\n"x, y","1\n""2"""',
    [
      ["a", "b"],
      ["x, y", '1 "2"'],
    ],
    1,
  ],
  [
    "no head over numbers",
    "1,2\n3,4",
    [
      ["1", "2"],
      ["3", "4"],
    ],
    0,
  ],
  [
    "no head of equal names",
    "x,x\n3,4",
    [
      ["x", "x"],
      ["3", "4"],
    ],
    0,
  ],
  [
    "empty rows and columns at the end",
    "a,b,\n\n1,2,\n,,\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
    1,
  ],
  [
    "a quote in a bare cell",
    'a,b\n5" pipe,2',
    [
      ["a", "b"],
      ['5" pipe', "2"],
    ],
    1,
  ],
  ["one column", "name\nAna\nRui", [["name"], ["Ana"], ["Rui"]], 0],
])("%s", (_, text, rows, headerRows) => expect(table(text)).toEqual({ rows, headerRows }))

test("its text is the rows as lines", () => {
  expect(read("a,b\n1,").blocks[0]?.text).toBe("a | b\n1 | ")
})
test("short rows are filled up, and said so", () => {
  expect(table("a,b,c\n1")?.rows[1]).toEqual(["1", "", ""])
  expect(read("a,b,c\n1\n2").warnings).toEqual([expect.stringMatching(/^2 rows have fewer cells/)])
})
test("a quote that is never closed swallows nothing", () => {
  expect(table(`a,b\n"x,1\n${"y,2\n".repeat(80_000)}`)?.rows[2]).toEqual(["y", "2"])
})
test("rows over the bound are counted", () => {
  const { blocks, warnings } = read(`a,b\n${"1,2\n".repeat(FLOW_LIMITS.rowsMax + 4)}`)
  expect(blocks[0]?.table?.rows).toHaveLength(FLOW_LIMITS.rowsMax)
  expect(warnings).toEqual(["Left out: 5 rows of tables."])
})
test("a row of 60,000 cells doesn't make all others as long", () => {
  const { blocks, warnings } = read(`${",".repeat(60_000)}x\n${"1,2\n".repeat(100)}`)
  expect(blocks[0]?.table?.rows[1]).toHaveLength(FLOW_LIMITS.columnsMax)
  expect(warnings).toContainEqual("Left out: 59501 columns of tables.")
})
