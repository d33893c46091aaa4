import { expect, test } from "vitest"
import type { Database } from "../database/database.ts"
import type { Embedder } from "../inference/inference.ts"
import { createLog } from "../log.ts"
import { createTenantModels } from "./create-tenant-models.ts"
import { createModelPool } from "./open-model-pool.ts"

const log = createLog({ level: "error", write: () => undefined })

function embedderOf(model: string, onEmbed: () => void = () => undefined): Embedder {
  return {
    ...{ model, dimensions: 1, maxTokens: 10, countTokens: () => 1 },
    async embed(texts) {
      onEmbed()
      return { vectors: texts.map(() => new Float32Array([1])), truncated: [], tokens: 1 }
    },
  }
}

const own = embedderOf("own")
const OWN = [{ model: "own", opening: JSON.stringify({ model: "own", profile: "mini" }) }]

/** Over a database that answers when it is told to. */
function open(rows: () => Promise<Record<string, unknown>[]>) {
  let asked = 0
  let at = 0
  const database = {
    batch: async () => {
      asked++
      return [await rows()]
    },
  } as unknown as Database
  const pool = createModelPool(async () => ({ embedder: own }), log)
  const models = createTenantModels({ database, pool, log, now: () => at })
  return {
    models,
    asked: () => asked,
    wait: (ms: number) => {
      at += ms
    },
  }
}

test("a search embeds while it is asked whether its model is still the same, and one that embeds nothing doesn't ask", async () => {
  let answer = () => {}
  let answered: Promise<void> | undefined
  const standard = embedderOf("standard", () => answer())
  const { models, asked, wait } = open(async () => {
    await answered
    return []
  })
  const first = await models.forSearch("a", standard)
  expect(asked()).toBe(0)
  await first?.embed(["tide"], "query")
  expect(await models.forSearch("a", standard)).toBe(standard)
  wait(10_000)
  // The database answers when the question is being embedded: who asked first and embedded after would wait for ever.
  answered = new Promise((resolve) => {
    answer = resolve
  })
  const found = await models.forSearch("a", standard)
  expect(asked()).toBe(1)
  await found?.embed(["tide"], "query")
  expect([found?.model, asked()]).toEqual(["standard", 2])
})

test("a question of a tenant with a model of its own goes to no other model, whoever knows nothing of the tenant yet", async () => {
  let seen = 0
  const standard = embedderOf("standard", () => seen++)
  const { models } = open(async () => OWN)
  await (await models.forWrite("b", standard))?.embed(["tide"], "passage")
  const found = await models.forSearch("a", standard)
  await found?.embed(["tide"], "query")
  expect([found?.model, seen]).toEqual(["own", 0])
})

test("a tenant that has got a model of its own is searched by it from the first question after 10 s", async () => {
  let rows: Record<string, unknown>[] = []
  const standard = embedderOf("standard")
  const { models, wait } = open(async () => rows)
  await (await models.forSearch("a", standard))?.embed(["tide"], "query")
  // Opened before, so that nobody waits for it.
  rows = OWN
  await (await models.forWrite("b", standard))?.embed(["tide"], "passage")
  wait(10_000)
  const found = await models.forSearch("a", standard)
  await found?.embed(["tide"], "query")
  expect(found?.model).toBe("own")
})

test("a model of few languages is not guessed: what it understands is asked before it embeds", async () => {
  const standard = { ...embedderOf("standard"), languages: ["en"] }
  const { models } = open(async () => OWN)
  await (await models.forWrite("b", standard))?.embed(["tide"], "passage")
  expect((await models.forSearch("a", standard))?.model).toBe("own")
})
