import { afterEach, expect, test } from "vitest"
import * as z from "zod"
import { type ServiceAnswer, startModelService } from "../../tests/model-service.ts"
import { createInferenceService } from "./inference-service.ts"

const Answer = z.object({ ok: z.literal(true) })
const OK: ServiceAnswer = { json: { ok: true } }
const SECRET = "sk-very-secret"

let service: Awaited<ReturnType<typeof startModelService>>
afterEach(() => service.close())

async function startedWith(answers: readonly (ServiceAnswer | null)[], options: { attemptTimeoutMs?: number } = {}) {
  service = await startModelService((_, count) => answers[Math.min(count, answers.length) - 1] ?? null)
  return createInferenceService({
    setting: "EMBEDDING_BASE_URL",
    baseUrl: service.url,
    apiKey: SECRET,
    backoffMs: 1,
    ...options,
  })
}

test("the body is posted as JSON with the key as bearer, and the answer is checked", async () => {
  const client = await startedWith([OK])
  expect(await client.post("/embeddings", { input: ["é"] }, Answer)).toEqual({ ok: true })
  expect(service.requests).toMatchObject([
    { path: "/embeddings", body: { input: ["é"] }, headers: { authorization: `Bearer ${SECRET}` } },
  ])
})

test.each([
  ["429", { status: 429 }],
  ["500", { status: 500 }],
  ["503", { status: 503 }],
  ["a cut connection", null],
])("%s is tried again, four times in all", async (_, broken) => {
  const client = await startedWith([broken, broken, broken, OK])
  expect(await client.post("/x", {}, Answer)).toEqual({ ok: true })
  await service.close()
  const hopeless = await startedWith([broken])
  await expect(hopeless.post("/x", {}, Answer)).rejects.toMatchObject({ code: "inference_unavailable" })
  expect(service.requests).toHaveLength(4)
})

test.each([
  ["400", { status: 400 }, /400/],
  ["401", { status: 401 }, /API key/],
  ["404", { status: 404 }, /URL/],
  ["text that is no JSON", { text: "<html>" }, /not JSON/],
  ["JSON of another shape", { json: { error: SECRET } }, /another shape/],
  ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:1/" } }, /./],
])("%s names the service and its setting, never the key", async (_, answer, message) => {
  const client = await startedWith([answer])
  const error = (await client.post("/x", { input: "private words" }, Answer).catch((e: unknown) => e)) as Error
  expect(error).toMatchObject({ code: "inference_unavailable", message: expect.stringMatching(message) })
  expect(error.message).toContain(service.host)
  expect(error.message).toContain("EMBEDDING_BASE_URL")
  expect(error.message).not.toContain(SECRET)
  expect(error.message).not.toContain("private words")
})

test("what is wrong for good is not tried again", async () => {
  const client = await startedWith([{ status: 401 }])
  await expect(client.post("/x", {}, Answer)).rejects.toThrow()
  expect(service.requests).toHaveLength(1)
})

test("Retry-After is waited for", async () => {
  const client = await startedWith([{ status: 429, headers: { "retry-after": "1" } }, OK])
  const startedAt = performance.now()
  await client.post("/x", {}, Answer)
  expect(performance.now() - startedAt).toBeGreaterThan(950)
})

test("a wait ends with the signal, and one that no search could sit out is not begun", async () => {
  const slow = await startedWith([{ status: 429, headers: { "retry-after": "20" } }])
  const startedAt = performance.now()
  const signal = AbortSignal.timeout(50)
  await expect(slow.post("/x", {}, Answer, signal)).rejects.toMatchObject({ name: "TimeoutError" })
  expect(performance.now() - startedAt).toBeLessThan(5_000)
  await service.close()
  const down = await startedWith([{ status: 503, headers: { "retry-after": "3600" } }])
  await expect(down.post("/x", {}, Answer)).rejects.toMatchObject({ code: "inference_unavailable" })
})

test("a service that does not answer is given up after its time, and at once when the caller goes away", async () => {
  const hanging = await startedWith([{ ...OK, delayMs: 10_000 }], { attemptTimeoutMs: 30 })
  await expect(hanging.post("/x", {}, Answer)).rejects.toThrow(/did not answer within 30 ms/)
  const abort = new AbortController()
  const patient = createInferenceService({ setting: "EMBED_SERVICE_URL", baseUrl: service.url })
  const work = patient.post("/x", {}, Answer, abort.signal)
  setTimeout(() => abort.abort(new Error("closed the tab")), 20)
  await expect(work).rejects.toThrow("closed the tab")
})
