import { expect, test } from "vitest"
import { candidate, ids, passage } from "../../tests/candidates.ts"
import { deadlineIn } from "../deadline.ts"
import { AppError } from "../errors.ts"
import type { Reranker } from "../inference/inference.ts"
import type { Scored } from "./candidate.ts"
import { rerank } from "./rerank.ts"
import { type Tuning, UNTUNED } from "./tuning.ts"

const ranked: readonly Scored[] = [
  { candidate: candidate("a", { passage: passage("first", { title: "Title" }) }), score: 0.9 },
  { candidate: candidate("b", { passage: passage("second") }), score: 0.7 },
  { candidate: candidate("c", { passage: passage("third") }), score: 0.5 },
  { candidate: candidate("d", { passage: passage("fourth") }), score: 0.4 },
  { candidate: candidate("e", { passage: passage("fifth") }), score: 0.1 },
]

const scoring = (score: Reranker["score"]): Reranker => ({ model: "test/reranker", score })
const run = (
  reranker: Reranker | null,
  { count = 3, ms = 5_000, deadline = deadlineIn(5_000), query = "question", tuning = UNTUNED } = {},
) => rerank(reranker, query, ranked, { count, fused: ranked, tuning, deadline, timeoutMs: ms })

test("the head is ordered by 0.7 of the fused and 0.3 of the reranker's score, each on 0–1", async () => {
  const { ranked: found, missing } = await run(scoring(async () => [-4, 6, 1]))
  expect(missing).toBeUndefined()
  expect(ids(found)).toEqual(["a", "b", "c", "d", "e"])
  expect(found.map((scored) => scored.score)).toEqual([
    expect.closeTo(0.7),
    expect.closeTo(0.7 * 0.5 + 0.3),
    expect.closeTo(0.3 * 0.5),
    expect.closeTo((0.7 * (0.4 - 0.5)) / 0.4),
    expect.closeTo((0.7 * (0.1 - 0.5)) / 0.4),
  ])
})

test("a reranker that is sure changes the order, and what it didn't read stays below what it read", async () => {
  const { ranked: found } = await run(
    scoring(async () => [0, 0.9, 1]),
    { count: 3 },
  )
  expect(ids(found)).toEqual(["a", "b", "c", "d", "e"])
  const close = ranked.map((scored, i) => ({ ...scored, score: 0.5 - i / 1_000 }))
  close[4] = { candidate: candidate("e"), score: 0 }
  const turned = await rerank(
    scoring(async () => [0, 5, 9, 100]),
    "q",
    close.slice(0, 5),
    { count: 4, fused: close, tuning: UNTUNED, deadline: deadlineIn(5_000), timeoutMs: 5_000 },
  )
  expect(ids(turned.ranked)[4]).toBe("e")
  const scores = turned.ranked.map((scored) => scored.score)
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
})

test("a tenant's own share holds for the reranker that it was learnt of, and for no other; a share of 0 asks nobody", async () => {
  const scores = scoring(async () => [0, 1, 0])
  const tuned = (share: number, reranker = "test/reranker"): Tuning => ({ alpha: null, reranker, rerankShare: share })
  expect(ids((await run(scores, { tuning: tuned(0.9) })).ranked)).toEqual(["b", "a", "c", "d", "e"])
  expect(await run(scores, { tuning: tuned(0.9, "another") })).toEqual(await run(scores))
  const never = scoring(() => Promise.reject(new Error("must not be asked")))
  expect(await run(never, { tuning: tuned(0) })).toEqual({ ranked })
})

test("reads the question, and each passage under its title", async () => {
  const seen: unknown[] = []
  const reranker = scoring(async (query, passages) => {
    seen.push(query, passages)
    return [1, 2, 3]
  })
  await run(reranker)
  expect(seen).toEqual(["question", ["Title\nfirst", "second", "third"]])
})

test("scores of a fixed scale are blended as they are, .75 to .25, beside the fused on the scale of all that was fused", async () => {
  const reranker: Reranker = {
    ...scoring(() => Promise.reject(new Error("must not be asked"))),
    order: async () => [0.1, 0.9],
  }
  const { ranked: found } = await run(reranker, { count: 2 })
  expect(ids(found)).toEqual(["b", "a", "c", "d", "e"])
  expect(found.map((scored) => scored.score)).toEqual([
    expect.closeTo(0.75 * 0.75 + 0.25 * 0.9),
    expect.closeTo(0.75 + 0.25 * 0.1),
    expect.closeTo(0.75 * 0.5),
    expect.closeTo(0.75 * 0.375),
    expect.closeTo(0),
  ])
})

test("on a fixed scale no score, however low, puts what was read below what wasn't", async () => {
  const even = ranked.map((scored) => ({ ...scored, score: 0.5 }))
  const reranker: Reranker = { ...scoring(async () => []), order: async () => [0, 0, 0] }
  const { ranked: found } = await rerank(reranker, "q", even, {
    ...{ count: 3, fused: even, tuning: UNTUNED },
    ...{ deadline: deadlineIn(5_000), timeoutMs: 5_000 },
  })
  expect(ids(found)).toEqual(["a", "b", "c", "d", "e"])
})

test("scores that are all alike leave the order as it was", async () => {
  expect(ids((await run(scoring(async () => [2, 2, 2]))).ranked)).toEqual(["a", "b", "c", "d", "e"])
})

test("without a reranker, or with nothing to compare, the order stays", async () => {
  expect(await run(null)).toEqual({ ranked, missing: "no reranking model is configured" })
  const never = scoring(() => Promise.reject(new Error("must not be asked")))
  expect(await run(never, { count: 1 })).toEqual({ ranked })
  expect(await run(never, { query: "" })).toEqual({ ranked })
})

test("a late reranker is told to stop, and the order stays within the time it had", async () => {
  let stopped = false
  const late = scoring(
    (_query, _passages, options) =>
      new Promise(() => options?.signal?.addEventListener("abort", () => (stopped = true))),
  )
  const from = performance.now()
  expect(await run(late, { ms: 50 })).toEqual({ ranked, missing: "the reranking model did not answer within 50 ms" })
  expect(performance.now() - from).toBeLessThan(1_000)
  expect(stopped).toBe(true)
})

test("the request's own deadline holds where it is nearer", async () => {
  const from = performance.now()
  const { missing } = await run(
    scoring(() => new Promise(() => {})),
    { deadline: deadlineIn(40) },
  )
  expect(missing).toMatch(/did not answer within (1\d|20) ms/)
  expect(performance.now() - from).toBeLessThan(1_000)
})

test("a failing reranker leaves the order, and its message stays inside", async () => {
  const failing = scoring(() => Promise.reject(new AppError("inference_unavailable", "secret text of the service")))
  expect(await run(failing)).toEqual({ ranked, missing: "the reranking model failed (inference_unavailable)" })
  const throwing = scoring(() => {
    throw new TypeError("secret")
  })
  expect(await run(throwing)).toEqual({ ranked, missing: "the reranking model failed" })
})

test.each([
  ["too few scores", [1, 2]],
  ["too many scores", [1, 2, 3, 4]],
  ["a score that is no number", [1, Number.NaN, 3]],
  ["an infinite score", [1, Number.POSITIVE_INFINITY, 3]],
])("%s are not blended: the order stays, and says so", async (_, scores) => {
  expect(await run(scoring(async () => scores))).toEqual({ ranked, missing: "the reranking model failed" })
})
