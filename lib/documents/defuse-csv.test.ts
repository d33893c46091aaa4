import { expect, test } from "vitest"
import { defuseCsv } from "./defuse-csv.ts"
import { toCsv } from "./to-csv.ts"

test.each([
  "=1+1",
  "=cmd|'/c calc'!A0",
  '=HYPERLINK("http://evil.example","x")',
  "+1+1",
  "-1+cmd",
  "-2+3",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "\n=1",
  "＝1+1",
])("a spreadsheet takes no cell for a formula: %j", (cell) => {
  const csv = defuseCsv(
    toCsv([
      ["a", cell],
      [cell, "b"],
    ]),
  )
  expect(csv).toBe(
    toCsv([
      ["a", `'${cell}`],
      [`'${cell}`, "b"],
    ]),
  )
})

test("numbers, dashes and words stay as they are, and so do signs inside a cell", () => {
  const csv = toCsv([
    ["-5", "+3.2", "-1,234.56", "-7 %", "-", "-$5", ""],
    ["a=b", "x@example.org", 'say "=1"', "one,\n=two", "1-2", "'", "e"],
  ])
  expect(defuseCsv(csv)).toBe(csv)
})

test("3 MB of cells, or of one quote that is never closed, take no more than their length", () => {
  const began = process.cpuUsage()
  defuseCsv("=1,".repeat(1_000_000))
  defuseCsv(`"${"=1,".repeat(1_000_000)}`)
  // Of a core: the machine may be busy. It takes 0.5 s.
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(5_000)
})
