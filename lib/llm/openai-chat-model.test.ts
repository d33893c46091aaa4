import { afterEach, expect, test } from "vitest"
import * as z from "zod"
import { fakeTokens, type LlmReply, startFakeLlm } from "../../tests/fake-llm.ts"
import { UselessReply } from "./chat-model.ts"
import { type LlmSettings, openLlm } from "./open-llm.ts"

const Verdict = z.object({ thought: z.string(), answer: z.enum(["YES", "NO"]).nullable() })
const YES = { content: { thought: "It says so.", answer: "YES" } }
const KEY = "sk-very-secret"
const NONE: LlmSettings = {
  useVllm: false,
  vllmBaseUrl: "http://127.0.0.1:1/v1",
  vllmModel: "qwen",
  openrouterModel: "openai/gpt-4.1-mini",
  llmTemperature: 0,
  llmTimeoutMs: 3_000,
  llmMaxTokens: 500,
}

let llm: Awaited<ReturnType<typeof startFakeLlm>>
afterEach(() => llm.close())

async function startedWith(replies: readonly (LlmReply | null)[], settings: Partial<LlmSettings> = {}) {
  llm = await startFakeLlm((_, count) => replies[Math.min(count, replies.length) - 1] ?? null)
  const model = openLlm({ ...NONE, llmBaseUrl: llm.baseUrl, llmModel: "m", llmApiKey: KEY, ...settings })
  if (!model) throw new Error("there is no model")
  const ask = (more: { signal?: AbortSignal; maxTokens?: number } = {}) =>
    model.ask({ name: "verdict", schema: Verdict, messages: [{ role: "user", content: "private words" }], ...more })
  return { model, ask }
}

test("a question goes out with its shape, and the answer comes back checked, with what it took", async () => {
  const { ask } = await startedWith([YES])
  const { value, usage } = await ask({ maxTokens: 9_999 })
  expect(value).toEqual(YES.content)
  expect(usage).toEqual({
    promptTokens: fakeTokens("private words"),
    completionTokens: fakeTokens(JSON.stringify(YES.content)),
    cachedTokens: 64,
    isEstimated: false,
  })
  const [{ body, headers } = { body: {}, headers: {} }] = llm.requests
  expect(headers).toMatchObject({ authorization: `Bearer ${KEY}` })
  expect(body).toEqual({
    model: "m",
    temperature: 0,
    max_tokens: 500,
    messages: [{ role: "user", content: "private words" }],
    response_format: {
      type: "json_schema",
      json_schema: {
        name: "verdict",
        strict: true,
        schema: {
          type: "object",
          properties: {
            thought: { type: "string" },
            answer: { anyOf: [{ type: "string", enum: ["YES", "NO"] }, { type: "null" }] },
          },
          required: ["thought", "answer"],
          additionalProperties: false,
        },
      },
    },
  })
})

test("a picture goes along as a data URL", async () => {
  const { model } = await startedWith([YES])
  const content = [
    { type: "text" as const, text: "What is this?" },
    { type: "image" as const, bytes: Buffer.from("pixels"), mimeType: "image/jpeg" as const },
  ]
  await model.ask({ name: "verdict", schema: Verdict, messages: [{ role: "user", content }] })
  expect(llm.questions[0]?.images).toEqual([`data:image/jpeg;base64,${Buffer.from("pixels").toString("base64")}`])
})

test.each([
  ["half an answer", { rawContent: '{"thought": "It', finishReason: "length" }, /LLM_MAX_TOKENS/],
  ["a refusal", { rawContent: "", refusal: "I can't" }, /refused/],
  ["a filtered answer", { content: {}, finishReason: "content_filter" }, /refused/],
  ["text that is no JSON", { rawContent: "Sure! Here is secret text" }, /not JSON/],
  ["another shape", { content: { thought: "secret text", answer: "MAYBE" } }, /another shape/],
  ["nothing", { rawContent: "" }, /nothing/],
])("%s is an error that says so, repeats nothing and tells what it took", async (_, reply, message) => {
  const { ask } = await startedWith([reply])
  const error = await ask().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UselessReply)
  expect(error).toMatchObject({ code: "inference_unavailable", message: expect.stringMatching(message) })
  expect((error as UselessReply).usage.promptTokens).toBe(fakeTokens("private words"))
  expect((error as Error).message).not.toMatch(/secret text|I can't|private/)
  expect(llm.requests).toHaveLength(1)
})

test("a server that reports no usage is estimated, high rather than low", async () => {
  const { ask } = await startedWith([{ ...YES, usage: null }])
  const { usage } = await ask()
  expect(usage.isEstimated).toBe(true)
  expect(usage.promptTokens).toBeGreaterThanOrEqual(fakeTokens("private words"))
  expect(usage.completionTokens).toBeGreaterThanOrEqual(fakeTokens(JSON.stringify(YES.content)))
})

test("429 and 5xx are asked again, after what Retry-After says", async () => {
  const { ask } = await startedWith([{ status: 429, headers: { "retry-after": "1" } }, { status: 503 }, YES])
  const began = performance.now()
  expect((await ask()).value).toEqual(YES.content)
  expect(performance.now() - began).toBeGreaterThan(1_000)
  expect(llm.requests).toHaveLength(3)
})

test("a Retry-After beyond the time of the call is not waited for", async () => {
  const { ask } = await startedWith([{ status: 429, headers: { "retry-after": "20" } }])
  const began = performance.now()
  await expect(ask()).rejects.toMatchObject({ code: "inference_unavailable", message: expect.stringContaining("429") })
  expect(performance.now() - began).toBeLessThan(1_000)
  expect(llm.requests).toHaveLength(1)
})

test("a server that hangs is given up at the deadline of the call, not of four attempts", async () => {
  const { ask } = await startedWith([{ ...YES, delayMs: 60_000 }], { llmTimeoutMs: 300 })
  const began = performance.now()
  await expect(ask()).rejects.toMatchObject({
    code: "inference_unavailable",
    message: expect.stringContaining("300 ms"),
  })
  expect(performance.now() - began).toBeLessThan(1_000)
  expect(llm.requests).toHaveLength(1)
})

test("a caller who leaves ends the call with the caller's own reason", async () => {
  const { ask } = await startedWith([{ ...YES, delayMs: 60_000 }])
  const gone = new AbortController()
  const asking = ask({ signal: gone.signal })
  setTimeout(() => gone.abort(new Error("gone")), 100)
  await expect(asking).rejects.toThrow("gone")
})

test("an answer of more bytes than an answer has is not read", async () => {
  const { ask } = await startedWith([{ text: `{"choices":"${"x".repeat(3_000_000)}"}` }])
  await expect(ask()).rejects.toMatchObject({
    code: "inference_unavailable",
    message: expect.stringContaining("2000000 bytes"),
  })
})

test("vLLM is chosen where it is asked for, then any other service, then OpenRouter, and else there is none", async () => {
  await startedWith([YES])
  expect(openLlm(NONE)).toBeNull()
  expect(openLlm({ ...NONE, useVllm: true, openrouterApiKey: KEY })?.model).toBe("qwen")
  expect(openLlm({ ...NONE, openrouterApiKey: KEY })?.model).toBe("openai/gpt-4.1-mini")
  const own = { llmBaseUrl: llm.baseUrl, llmModel: "own" }
  expect(openLlm({ ...NONE, ...own, openrouterApiKey: KEY })?.model).toBe("own")
  // OpenRouter's key goes nowhere else.
  const model = openLlm({ ...NONE, ...own, openrouterApiKey: KEY })
  await model?.ask({ name: "verdict", schema: Verdict, messages: [{ role: "user", content: "x" }] })
  expect(llm.requests.at(-1)?.headers.authorization).toBeUndefined()
})
