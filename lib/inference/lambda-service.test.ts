import { afterEach, expect, test } from "vitest"
import * as z from "zod"
import { type ServiceAnswer, type ServiceRequest, startModelService } from "../../tests/model-service.ts"
import { runActivity } from "../activity.ts"
import type { Span } from "../telemetry.ts"
import { createLambdaService } from "./lambda-service.ts"
import { createTeiEmbedder } from "./tei-embedder.ts"
import { createTeiReranker } from "./tei-reranker.ts"

const Answer = z.object({ ok: z.literal(true) })
const OK: ServiceAnswer = { json: { status: 200, body: { ok: true } } }
const SECRET = "very-secret-access-key"

let lambda: Awaited<ReturnType<typeof startModelService>>
afterEach(() => lambda.close())

/** Lambda's Invoke API, answering as told. */
async function serviceOf(
  answer: (request: ServiceRequest, count: number) => ServiceAnswer | null,
  more: { attemptTimeoutMs?: number; sessionToken?: string } = {},
) {
  lambda = await startModelService(answer)
  const { attemptTimeoutMs, sessionToken } = more
  return createLambdaService({
    functionName: "concordance-test-Inference",
    region: "eu-central-1",
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: SECRET, sessionToken },
    endpoint: lambda.url,
    ...(attemptTimeoutMs && { attemptTimeoutMs }),
  })
}
const inTurn = (answers: readonly (ServiceAnswer | null)[]) => (_: ServiceRequest, count: number) =>
  answers[Math.min(count, answers.length) - 1] ?? null

test("a call is an invocation of the function, signed for Lambda in its region, the role's token included", async () => {
  const service = await serviceOf(() => OK, { sessionToken: "session" })
  expect(await service.post("/embed", { inputs: ["é"] }, Answer)).toEqual({ ok: true })
  const [request] = lambda.requests
  expect(request).toMatchObject({
    path: "/2015-03-31/functions/concordance-test-Inference/invocations",
    body: { path: "/embed", body: { inputs: ["é"] } },
    headers: { "x-amz-date": expect.stringMatching(/^\d{8}T\d{6}Z$/), "x-amz-security-token": "session" },
  })
  expect(request?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/lambda\/aws4_request, SignedHeaders=host;.*x-amz-date.*, Signature=[0-9a-f]{64}$/,
  )
  expect(JSON.stringify(request)).not.toContain(SECRET)
})

test("the function is told for which request and in which trace it works", async () => {
  const service = await serviceOf(() => OK)
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
  const span = { traceparent } as Span
  const activity = { requestId: "of-the-caller", telemetry: null, span, times: null }
  await runActivity(activity, () => service.post("/embed", { inputs: [] }, Answer))
  expect(lambda.requests[0]?.body).toEqual({
    ...{ path: "/embed", requestId: "of-the-caller", traceparent },
    body: { inputs: [] },
  })
})

test.each<[string, ServiceAnswer | null]>([
  ["a throttle", { status: 429, json: { Reason: "ReservedFunctionConcurrentInvocationLimitExceeded" } }],
  ["Lambda's own failure", { status: 500, json: { Type: "Service" } }],
  [
    "a function that broke down",
    { headers: { "x-amz-function-error": "Unhandled" }, json: { errorType: "OutOfMemory" } },
  ],
  ["a 503 of the models", { json: { status: 503, body: { code: "inference_unavailable" } } }],
  ["a cut connection", null],
])("%s is tried again", async (_, broken) => {
  const service = await serviceOf(inTurn([broken, OK]))
  expect(await service.post("/embed", {}, Answer)).toEqual({ ok: true })
  expect(lambda.requests).toHaveLength(2)
})

test.each<[string, ServiceAnswer, RegExp]>([
  ["a refusal by IAM", { status: 403, json: { Message: SECRET } }, /403/],
  ["a function that is gone", { status: 404, json: {} }, /404/],
  ["a payload that is too large", { status: 413, json: {} }, /413/],
  ["a wrong request", { json: { status: 400, body: { detail: "private words" } } }, /400/],
  ["an answer that is no JSON", { text: "<html>" }, /not JSON/],
  ["an answer of another shape", { json: { statusCode: 200, body: "{}" } }, /another shape/],
  ["a body of another shape", { json: { status: 200, body: [] } }, /another shape/],
])("%s is for good, and is told without what was sent or answered", async (_, answer, message) => {
  const service = await serviceOf(() => answer)
  const error = (await service.post("/embed", { inputs: ["private words"] }, Answer).catch((e: unknown) => e)) as Error
  expect(error).toMatchObject({ code: "inference_unavailable", message: expect.stringMatching(message) })
  expect(error.message).toContain("INFERENCE_FUNCTION")
  expect(error.message).not.toMatch(/private words|very-secret/)
  expect(lambda.requests).toHaveLength(1)
})

test("a function that does not answer is given up after its time, and with the caller", async () => {
  const service = await serviceOf(() => ({ ...OK, delayMs: 10_000 }), { attemptTimeoutMs: 30 })
  await expect(service.post("/embed", {}, Answer)).rejects.toThrow(/did not answer within 30 ms/)
  await lambda.close()
  const patient = await serviceOf(() => ({ ...OK, delayMs: 10_000 }))
  const began = performance.now()
  await expect(patient.post("/embed", {}, Answer, AbortSignal.timeout(50))).rejects.toMatchObject({
    name: "TimeoutError",
  })
  expect(performance.now() - began).toBeLessThan(2_000)
})

test("texts go 32 or 200,000 characters at a time: whatever they hold, a payload and its answer fit in Lambda's 6 MB", async () => {
  const sizes: number[] = []
  const vector = Array.from({ length: 1024 }, (_, i) => -Math.fround(1 / (3 * (i + 7))))
  const service = await serviceOf(({ body }) => {
    const { inputs, texts } = body["body"] as { inputs?: string[]; texts?: string[] }
    const answer = inputs?.map(() => vector) ?? texts?.map((_, index) => ({ index, score: 1 }))
    sizes.push(JSON.stringify(body).length, JSON.stringify({ status: 200, body: answer }).length)
    return { json: { status: 200, body: answer } }
  })
  const embedder = createTeiEmbedder({ service, model: "BAAI/bge-m3", dimensions: 1024, maxTokens: 2_048 })
  const { vectors } = await embedder.embed(
    Array.from({ length: 70 }, (_, i) => `${i}`),
    "passage",
  )
  expect(vectors).toHaveLength(70)
  expect(lambda.requests.map(({ body }) => (body["body"] as { inputs: string[] }).inputs.length)).toEqual([32, 32, 6])
  // Six bytes a character in JSON: the worst there is.
  const worst = Array.from({ length: 40 }, () => "\u0001".repeat(16_000))
  await embedder.embed(worst, "passage")
  await createTeiReranker({ service, model: "r" }).score("q", worst)
  expect(lambda.requests.slice(-4).map(({ body }) => (body["body"] as { texts: string[] }).texts.length)).toEqual([
    12, 12, 12, 4,
  ])
  expect(Math.max(...sizes)).toBeGreaterThan(1_000_000)
  expect(Math.max(...sizes)).toBeLessThan(6_000_000)
})
