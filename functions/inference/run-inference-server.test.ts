import { afterEach, beforeAll, expect, test } from "vitest"
import { parseConfig } from "../../lib/config.ts"
import { openInference } from "../../lib/inference/open-inference.ts"
import { createLog } from "../../lib/log.ts"
import { testModelHome } from "../../tests/model-home.ts"
import { runInferenceServer } from "./run-inference-server.ts"

let home: string
const closing: { close(): Promise<void> }[] = []
beforeAll(async () => {
  home = await testModelHome()
})
afterEach(async () => {
  for (const part of closing.splice(0)) await part.close()
})

async function started(settings: Record<string, string> = {}) {
  const log = createLog({ level: "error", write: () => {} })
  const server = await runInferenceServer(parseConfig({ CONCORDANCE_HOME: home, PORT: "0", ...settings }), log)
  closing.push(server)
  return server
}

test("a client with the key gets the same vectors and scores as from the models in its own process", async () => {
  const { url } = await started({ INFERENCE_API_KEY: "sesame" })
  const remote = { inferenceProfile: "mini", home, embedServiceUrl: url } as const
  const there = await openInference({ ...remote, embedServiceApiKey: "sesame" })
  const here = await openInference({ inferenceProfile: "mini", home })
  closing.push(here)
  expect(there.embedder).toMatchObject({ model: here.embedder?.model, dimensions: 384 })
  const texts = ["A lighthouse on the cape.", "Bees dance."]
  const near = await here.embedder?.embed(texts, "passage")
  const far = await there.embedder?.embed(texts, "passage")
  for (const [i, vector] of (near?.vectors ?? []).entries()) {
    const cosine = vector.reduce((sum, x, j) => sum + x * (far?.vectors[i]?.[j] ?? 0), 0)
    expect(cosine).toBeGreaterThan(0.9999)
  }
  const near2 = await here.reranker?.score("light", texts)
  const far2 = await there.reranker?.score("light", texts)
  expect(far2?.map((score) => score.toFixed(4))).toEqual(near2?.map((score) => score.toFixed(4)))
  for (const key of [undefined, "sesamo", "sesame2"]) {
    const stranger = await openInference({ ...remote, embedServiceApiKey: key })
    await expect(stranger.embedder?.embed(texts, "passage")).rejects.toThrow(/does not accept the API key/)
  }
})

test("health needs no key; what it says of each model does", async () => {
  const { url } = await started({ INFERENCE_API_KEY: "sesame" })
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" })
  expect((await fetch(`${url}/health?detail=1`)).status).toBe(401)
  const detail = await fetch(`${url}/health?detail=1`, { headers: { authorization: "Bearer sesame" } })
  expect(await detail.json()).toMatchObject({
    status: "ok",
    components: { database: { status: "absent" }, embedder: { status: "ok" }, reranker: { status: "ok" } },
  })
})

test("without a key it serves this machine alone: a name of another host is refused, and so is a start on another address", async () => {
  const { url } = await started()
  const body = JSON.stringify({ input: "a" })
  const headers = { "content-type": "application/json" }
  expect((await fetch(`${url}/v1/embeddings`, { method: "POST", body, headers })).status).toBe(200)
  const relayed = await fetch(`${url}/v1/embeddings`, {
    method: "POST",
    body,
    headers: { ...headers, "x-forwarded-for": "192.0.2.1" },
  })
  expect(relayed.status).toBe(401)
  await expect(started({ HOST: "0.0.0.0" })).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringMatching(/INFERENCE_API_KEY/),
  })
})
