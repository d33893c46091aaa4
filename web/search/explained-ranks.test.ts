import { expect, test } from "vitest"
import type { ExplainedStage, SearchHit } from "../../lib/search/response.ts"
import { explainedRanks } from "./explained-ranks.ts"
import { moveBetween, moveSign } from "./moves.ts"

const hit = { id: "b", chunk_id: "c0002", similarity: 0.3, text_rank: 2 } as SearchHit
const of = (id: string, score: number, chunk_id = "c0002") => ({ id, chunk_id, score })

test("each stage says where the passage stood, among how many, and how near it came to the best", () => {
  const stages: ExplainedStage[] = [
    { stage: "dense", hits: [of("a", 0.6), of("b", 0.5, "c0001"), of("b", 0.3)] },
    { stage: "lexical", hits: [of("a", 8)] },
    { stage: "fuse", hits: [of("b", 1), of("a", 0.2)] },
  ]
  expect(explainedRanks(hit, stages)).toEqual([
    { stage: "dense", place: 3, of: 3, score: 0.3, share: 0.5 },
    // Scored, though the list doesn't hold it.
    { stage: "lexical", place: null, of: 1, score: 2, share: 0.25 },
    { stage: "fuse", place: 1, of: 2, score: 1, share: 1 },
  ])
})

test("an empty list and scores below zero give no share", () => {
  const ranks = explainedRanks({ id: "b", chunk_id: "c0002" } as SearchHit, [
    { stage: "dense", hits: [of("a", 0.2), of("b", -0.1)] },
    { stage: "lexical", hits: [] },
  ])
  expect(ranks.map(({ place, of, share }) => [place, of, share])).toEqual([
    [2, 2, 0],
    [null, 0, 0],
  ])
})

test("a move counts how many places higher it stands here than there", () => {
  const here = ["a", "b", "c"]
  const there = ["c", "b", "x", "a"]
  expect(here.map((_, index) => moveSign(moveBetween(here, index, there)))).toEqual(["↑3", "=", "↓2"])
  expect(moveBetween(["y"], 0, there)).toEqual({ place: null, higher: 0 })
})
