import { expect, test } from "vitest"
import { candidate, ids } from "../../tests/candidates.ts"
import type { Scored } from "./candidate.ts"
import { diversify } from "./diversify.ts"

function scored(id: string, score: number, vector: number[] | null): Scored {
  return { candidate: candidate(id, { vector: vector && Float32Array.from(vector) }), score }
}

const first = scored("first", 1, [1, 0])
const twin = scored("twin", 0.95, [1, 0])
const other = scored("other", 0.8, [0, 1])
const last = scored("last", 0, [0.8, 0.6])

test("lambda 1 changes nothing, not even among ties", () => {
  const ranked = [first, twin, other, scored("tied", 0.8, [0, 1]), last]
  expect(diversify(ranked, 1, 5)).toEqual(ranked)
})

test("a near-duplicate is pushed below what says something else", () => {
  expect(ids(diversify([first, twin, other, last], 0.5, 4))).toEqual(["first", "other", "twin", "last"])
})

test("the most relevant comes first at any lambda, and scores stay those that came", () => {
  for (const lambda of [0, 0.3, 0.8]) {
    const picked = diversify([first, twin, other], lambda, 3)
    expect(picked[0]).toBe(first)
    expect(new Set(picked)).toEqual(new Set([first, twin, other]))
  }
})

test("keeps as many as asked, and all when there are fewer", () => {
  expect(ids(diversify([first, twin, other], 0.5, 2))).toEqual(["first", "other"])
  expect(diversify([first], 0.5, 9)).toEqual([first])
  expect(diversify([], 0.5, 9)).toEqual([])
})

test("a candidate without a vector is neither favoured nor held back", () => {
  const plain = scored("plain", 0.9, null)
  expect(ids(diversify([first, twin, plain, last], 0.5, 4))).toEqual(["first", "plain", "twin", "last"])
  const bare = [scored("a", 3, null), scored("b", 2, null), scored("c", 1, null)]
  expect(diversify(bare, 0.2, 3)).toEqual(bare)
  // An opposite is no more welcome than one that can't be compared.
  expect(ids(diversify([first, plain, scored("opposite", 0.85, [-1, 0]), last], 0.5, 4))[1]).toBe("plain")
})
