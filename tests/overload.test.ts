import { afterAll, beforeAll, expect, test } from "vitest"
import { type Served, serve } from "./served.ts"

let served: Served
beforeAll(async () => {
  served = await serve({ isMigrated: true, environment: { INFERENCE_QUEUE_MAX: "4" } })
})
afterAll(() => served?.close())

test("texts to embed beyond the model's queue get 503 at once, and the rest their vectors", async () => {
  const inputs = Array.from({ length: 64 }, (_, i) => `passage ${i} ${"about the tide ".repeat(40)}`)
  const answers = await Promise.all(Array.from({ length: 12 }, () => served.post("/embed", { inputs, truncate: true })))
  const statuses = answers.map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  expect(await answers[statuses.indexOf(503)]?.json()).toMatchObject({ code: "overloaded" })
  expect((await served.post("/embed", { inputs: ["tide"] })).status).toBe(200)
})
