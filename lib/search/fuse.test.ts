import { describe, expect, test } from "vitest"
import { candidate, ids } from "../../tests/candidates.ts"
import { fuse, minMax, rrfScore } from "./fuse.ts"

const rrf = { strategy: "rrf", alpha: 0.5, rrfK: 60 } as const
const weighted = { strategy: "weighted", alpha: 0.5, rrfK: 60 } as const

describe("rrf", () => {
  test("rank 1 in both lists scores 2/61, in one of them 1/61, in none 0", () => {
    expect(rrfScore({ denseRank: 1, lexicalRank: 1 }, 60)).toBe(2 / 61)
    expect(rrfScore({ denseRank: null, lexicalRank: 1 }, 60)).toBe(1 / 61)
    expect(rrfScore({ denseRank: null, lexicalRank: null }, 60)).toBe(0)
  })

  test("a candidate of one list only still appears, below one that both hold", () => {
    const fused = fuse(
      [
        candidate("words", { lexicalRank: 1 }),
        candidate("meaning", { denseRank: 2 }),
        candidate("both", { denseRank: 3, lexicalRank: 3 }),
      ],
      rrf,
    )
    expect(ids(fused)).toEqual(["both", "words", "meaning"])
    expect(fused.map((scored) => scored.score)).toEqual([2 / 63, 1 / 61, 1 / 62])
  })

  test("the constant is the request's", () => {
    expect(fuse([candidate("a", { denseRank: 1 })], { ...rrf, rrfK: 1 })[0]?.score).toBe(0.5)
  })
})

describe("weighted", () => {
  test("both scores are scaled over the union of the lists, alpha is the share of meaning", () => {
    const candidates = [
      candidate("near", { similarity: 0.9, bm25: 2 }),
      candidate("middle", { similarity: 0.5, bm25: 6 }),
      candidate("worded", { similarity: 0.1, bm25: 10 }),
    ]
    expect(fuse(candidates, { ...weighted, alpha: 0.75 }).map((scored) => scored.score)).toEqual([0.75, 0.5, 0.25])
    expect(ids(fuse(candidates, { ...weighted, alpha: 0 }))).toEqual(["worded", "middle", "near"])
  })

  test("a candidate without a vector counts as the least near, not as nothing", () => {
    const fused = fuse(
      [
        candidate("no-vector", { bm25: 4 }),
        candidate("least-near", { similarity: -0.2, bm25: 4 }),
        candidate("near", { similarity: 0.4, bm25: 0 }),
      ],
      weighted,
    )
    const score = (id: string) => fused.find((scored) => scored.candidate.documentId === id)?.score
    expect(score("no-vector")).toBe(0.5)
    expect(score("no-vector")).toBe(score("least-near"))
  })

  test("where all are alike, all score 1", () => {
    expect(minMax([3, 3, 3])).toEqual([1, 1, 1])
    const alike = [candidate("b", { similarity: 0.3, bm25: 2 }), candidate("a", { similarity: 0.3, bm25: 2 })]
    expect(fuse(alike, weighted)).toMatchObject([{ score: 1 }, { score: 1 }])
  })

  test("without a single score on one side that side adds nothing", () => {
    expect(minMax([null, null])).toEqual([0, 0])
    expect(fuse([candidate("a", { bm25: 1 })], weighted)[0]?.score).toBe(0.5)
    expect(fuse([], weighted)).toEqual([])
  })
})

test("semantic and two_pass order by meaning, what has no vector last; lexical by words", () => {
  const candidates = [
    candidate("worded", { bm25: 9 }),
    candidate("opposite", { similarity: -0.9, bm25: 2 }),
    candidate("near", { similarity: 0.8, bm25: 1 }),
  ]
  for (const strategy of ["semantic", "two_pass"] as const) {
    expect(ids(fuse(candidates, { ...rrf, strategy }))).toEqual(["near", "opposite", "worded"])
  }
  expect(ids(fuse(candidates, { ...rrf, strategy: "lexical" }))).toEqual(["worded", "opposite", "near"])
})

test("ties go by document id, then chunk id, in the order of their bytes", () => {
  // U+FF5E comes before U+1F600 in bytes of UTF-8, and after it in the UTF-16 units that `<` compares.
  const tied = ["😀", "～", "b", "B", "é", "a/1", "a"].map((id) => candidate(id, { denseRank: 1 }))
  expect(ids(fuse(tied, rrf))).toEqual(["B", "a", "a/1", "b", "é", "～", "😀"])
  const chunks = ["c10000", "c0002", "c0010"].map((chunkId) => candidate("d", { chunkId, denseRank: 1 }))
  expect(fuse(chunks, rrf).map((scored) => scored.candidate.chunkId)).toEqual(["c0002", "c0010", "c10000"])
})
