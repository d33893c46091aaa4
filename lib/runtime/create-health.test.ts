import { expect, test } from "vitest"
import type { Database } from "../database/database.ts"
import type { Embedder } from "../inference/inference.ts"
import { createHealth } from "./create-health.ts"

const never = () => new Promise<never>(() => {})

function health(ping: () => Promise<void>, embed?: Embedder["embed"]) {
  const embedder = embed ? ({ model: "m", dimensions: 1, maxTokens: 1, countTokens: () => 1, embed } as Embedder) : null
  return createHealth({
    database: { driver: "pg", ping } as Database,
    models: async () => ({ embedder, reranker: null }),
    timeoutMs: 50,
  })
}

test("a database that fails, or does not answer in time, is unhealthy", async () => {
  expect(await health(() => Promise.reject(new Error("gone")))(false)).toEqual({ status: "unhealthy" })
  const began = performance.now()
  expect(await health(never)(false)).toEqual({ status: "unhealthy" })
  expect(performance.now() - began).toBeLessThan(1_000)
})

test("detail names each component, and a model that fails leaves the service able to answer", async () => {
  const report = await health(
    async () => {},
    () => Promise.reject(new Error("gone")),
  )(true)
  expect(report).toMatchObject({
    status: "ok",
    components: {
      database: { status: "ok", name: "pg" },
      embedder: { status: "unhealthy", name: "m" },
      reranker: { status: "absent" },
    },
  })
  expect(report.components?.database.ms).toBeGreaterThanOrEqual(0)
})

test("a model is not asked without detail, and its call is aborted when it is late", async () => {
  let asked = 0
  let aborted = false
  const check = health(
    async () => {},
    (_, __, options) => {
      asked++
      options?.signal?.addEventListener("abort", () => {
        aborted = true
      })
      return never()
    },
  )
  await check(false)
  expect(asked).toBe(0)
  expect((await check(true)).components?.embedder.status).toBe("unhealthy")
  expect(aborted).toBe(true)
})

test("questions that come at once share one ping", async () => {
  let pings = 0
  const check = health(async () => {
    pings++
    await new Promise((resolve) => setTimeout(resolve, 10))
  })
  await Promise.all(Array.from({ length: 20 }, () => check(false)))
  expect(pings).toBe(1)
  await check(false)
  expect(pings).toBe(2)
})

test("an external index that fails makes the service unhealthy, and detail names it", async () => {
  const of = (ask: () => Promise<void>) =>
    createHealth({
      database: { driver: "pg", ping: async () => {} } as unknown as Database,
      index: async () => ({ engine: "chroma", health: ask }),
      models: async () => ({ embedder: null, reranker: null }),
      timeoutMs: 50,
    })
  expect(await of(async () => {})(true)).toMatchObject({
    status: "ok",
    components: { index: { status: "ok", name: "chroma" } },
  })
  expect(await of(never)(false)).toEqual({ status: "unhealthy" })
  expect((await of(() => Promise.reject(new Error("gone")))(true)).components).toMatchObject({
    database: { status: "ok" },
    index: { status: "unhealthy", name: "chroma" },
  })
})

test("where the database is the index there is no other component", async () => {
  const report = await health(async () => {})(true)
  expect(Object.keys(report.components ?? {})).toEqual(["database", "embedder", "reranker"])
})
