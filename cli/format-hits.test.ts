import { expect, test } from "vitest"
import { formatHits, formatStages } from "./format-hits.ts"

const plain = { bold: (text: string) => text, dim: (text: string) => text, columns: 80 }

const hit = {
  id: "en/lighthouse",
  source_account_id: "primary",
  title: "The lighthouse of Ponta Ruiva",
  content: `${"It stands on the red cliff at the western end of the island. ".repeat(8)}Visitors may climb it.`,
  similarity: 0.61234,
  rrf_score: 0.0325,
  score: 0.0325,
  chunk_id: "c0001",
  citation: "[[en%2Flighthouse#c0001]]",
  language: "en",
  metadata: {},
  highlights: [],
}

test("a hit shows rank, score, title, citation and passage, in 80 columns", () => {
  const lines = formatHits({ results: [hit] }, plain)
  expect(lines.slice(0, 2)).toEqual([
    " 1  0.0325  The lighthouse of Ponta Ruiva",
    "    [[en%2Flighthouse#c0001]]  en · meaning 0.612",
  ])
  expect(lines).toHaveLength(5)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
})

test("a title that is too long is clipped, and one that is missing gives way to the id", () => {
  const [long] = formatHits({ results: [{ ...hit, title: "x".repeat(200) }] }, plain)
  expect(long).toHaveLength(80)
  const [untitled] = formatHits({ results: [{ ...hit, title: "" }] }, plain)
  expect(untitled).toContain("en/lighthouse")
})

test("the stages show the head of each list and the times", () => {
  const hits = Array.from({ length: 9 }, (_, i) => ({ id: `d${i}`, chunk_id: "c0001", score: 1 / (i + 1) }))
  const lines = formatStages({ explain: [{ stage: "dense", hits }] }, [{ stage: "rank", ms: 4.25 }], plain)
  expect(lines[1]).toBe("dense: 9 hits")
  expect(lines[2]).toBe("     1   1.0000  d0#c0001")
  expect(lines.at(-1)).toBe("rank 4.3 ms")
  expect(lines).toHaveLength(9)
})
