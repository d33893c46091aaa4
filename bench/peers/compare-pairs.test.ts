import { expect, test } from "vitest"
import { comparePairs } from "./compare-pairs.ts"
import type { Measured } from "./measure-peers.ts"
import { fuseByRank } from "./peer.ts"

const measured = (peer: string, way: string, ndcg: readonly number[]): Measured => ({
  peer,
  way,
  kind: "embedded",
  indexed_per_s: 1,
  p50_ms: 1,
  p95_ms: 1,
  memory_mb: 1,
  disk_mb: 1,
  ndcg_by_question: ndcg,
})

test("ours is compared with each peer question by question, with an interval around the mean", () => {
  const ours = measured("concordance-pglite", "weighted", [1, 0.5, 0.9, 0.8])
  const theirs = measured("other", "hybrid", [0.5, 0.5, 0.5, 0.5])
  const [difference] = comparePairs([ours, theirs])
  expect(difference).toMatchObject({ ours: "concordance-pglite, weighted", peer: "other, hybrid", mean: 0.3 })
  expect(difference?.low).toBeLessThan(0.3)
  expect(difference?.high).toBeGreaterThan(0.3)
})

test("other ways of ours stand on neither side", () => {
  const rrf = measured("concordance-pglite", "rrf", [1])
  const weighted = measured("concordance-pglite", "weighted", [1])
  expect(comparePairs([rrf, weighted])).toEqual([])
})

test("rank fusion puts what both lists have before what one has first", () => {
  const lists = [
    ["a", "both"],
    ["b", "both"],
  ]
  expect(fuseByRank(lists, 2)).toEqual(["both", "a"])
})
