import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { testModelHome } from "../../tests/model-home.ts"
import { createLateInteractionReranker, maxSim } from "./late-interaction-reranker.ts"
import { type OnnxModel, openOnnxModel } from "./onnx-model.ts"
import { createWorkQueue } from "./work-queue.ts"

let model: OnnxModel
beforeAll(async () => {
  const models = join(await testModelHome(), "models")
  const source = { name: "minilm", location: join(models, "all-MiniLM-L6-v2"), cacheFolder: models }
  model = await openOnnxModel(source, { task: "encode" })
})
afterAll(() => model.close())

test("each query token counts its likest passage token, and the mean is taken over the query's", () => {
  const query = Float32Array.of(1, 0, 0, 1)
  const passage = Float32Array.of(0.6, 0.8, -1, 0, 0, 1)
  expect(maxSim(query, passage, 2)).toBeCloseTo((0.6 + 1) / 2, 6)
  expect(maxSim(query, new Float32Array(), 2)).toBe(0)
})

test("raised to a power, near matches count for more than many faint ones", () => {
  const query = Float32Array.of(1, 0, 0, 1)
  expect(maxSim(query, Float32Array.of(0.6, 0.8), 2, 4)).toBeCloseTo((0.6 ** 4 + 0.8 ** 4) / 2, 6)
  expect(maxSim(query, Float32Array.of(-1, 0), 2, 4)).toBe(0)
})

test("to put passages in order it reads their first 128 tokens, and scores 0 to 1 in the passages' order", async () => {
  const reranker = createLateInteractionReranker({ model, queue: createWorkQueue() })
  const far = `${"Rates rose again. ".repeat(60)}`
  const passages = ["Bees find their way home by the sun.", far, `${far}Bees find their way home.`, ""]
  const scores = (await reranker.order?.("How do bees find their way home?", passages)) ?? []
  expect(scores).toHaveLength(4)
  expect(scores[0]).toBeGreaterThan(2 * (scores[1] ?? 1))
  // The activations of one batch share a scale in int8.
  expect(scores[2]).toBeCloseTo(scores[1] ?? 0, 2)
  expect(scores[3]).toBe(0)
  expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true)
})

test("the passage that answers scores highest, in the order of the passages, whatever their lengths", async () => {
  const reranker = createLateInteractionReranker({ model, queue: createWorkQueue() })
  const scores = await reranker.score("How do bees find their way home?", [
    "The central bank raised interest rates by half a point, and markets fell.",
    `Bees find their way home by the sun. ${"They also remember landmarks near the hive. ".repeat(8)}`,
    "Rates.",
    "",
  ])
  expect(scores).toHaveLength(4)
  expect(scores.indexOf(Math.max(...scores))).toBe(1)
  expect(scores[3]).toBe(0)
  expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true)
})

test("a passage that repeats the query scores 1, so special tokens and padding take no part", async () => {
  const reranker = createLateInteractionReranker({ model, queue: createWorkQueue() })
  const [same] = await reranker.score("river sand", ["river sand"])
  expect(same).toBeCloseTo(1, 5)
})

test("no passages need no model, and an aborted call rejects with its reason", async () => {
  const reranker = createLateInteractionReranker({ model, queue: createWorkQueue() })
  expect(await reranker.score("x", [])).toEqual([])
  const signal = AbortSignal.abort(new Error("too late"))
  await expect(reranker.score("x", ["y"], { signal })).rejects.toThrow("too late")
})

test("each word of the query is told how near the passage comes to it: those that it has, and what it never speaks of", async () => {
  const reranker = createLateInteractionReranker({ model, queue: createWorkQueue() })
  const query = "Which restaurant does the ferry have?"
  const matches = await reranker.matchWords?.(query, "The ferry sails at seven. The ferry takes dogs on deck.")
  expect(matches?.map(({ word }) => word)).toEqual(query.split(" "))
  const of = (word: string): number => matches?.find((match) => match.word === word)?.similarity ?? Number.NaN
  expect(of("ferry")).toBeGreaterThan(0.6)
  expect(of("restaurant")).toBeLessThan(0.4)
})

test("a word is as near with a question mark behind it as without", async () => {
  const reranker = createLateInteractionReranker({ model, queue: createWorkQueue() })
  const matches = await reranker.matchWords?.(
    "When does it reach the harbour?",
    "The boat reaches the harbour at noon.",
  )
  expect(matches?.at(-1)?.word).toBe("harbour?")
  // .73 with the mark's own cosine in the mean.
  expect(matches?.at(-1)?.similarity).toBeGreaterThan(0.85)
})
