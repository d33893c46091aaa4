import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, expect, test } from "vitest"
import { fakeTokens, type LlmReply, startFakeLlm } from "../../tests/fake-llm.ts"
import { type ChatWriting, UselessReply } from "./chat-model.ts"
import { openLlm } from "./open-llm.ts"

const WORDS = "The tide  turns\nat noon."

let llm: Awaited<ReturnType<typeof startFakeLlm>>
afterEach(() => llm.close())

async function startedWith(replies: readonly (LlmReply | null)[], llmTimeoutMs = 3_000) {
  llm = await startFakeLlm((_, count) => replies[Math.min(count, replies.length) - 1] ?? null)
  const model = openLlm({
    useVllm: false,
    vllmBaseUrl: "http://127.0.0.1:1/v1",
    vllmModel: "qwen",
    openrouterModel: "m",
    llmTemperature: 0,
    llmTimeoutMs,
    llmMaxTokens: 500,
    llmBaseUrl: llm.baseUrl,
    llmModel: "m",
  })
  return async (more: Partial<ChatWriting> = {}) => {
    const written = model?.write({ messages: [{ role: "user", content: "private words" }], ...more })
    if (!written) throw new Error("there is no model")
    return written
  }
}

test("a text comes piece by piece, and whole at the end with what it took", async () => {
  const write = await startedWith([{ rawContent: WORDS, tokenMs: 5 }])
  const pieces: string[] = []
  const { text, usage } = await write({ onToken: (piece) => pieces.push(piece), maxTokens: 90 })
  expect(text).toBe(WORDS)
  expect(pieces).toEqual(["The ", "tide  ", "turns\n", "at ", "noon."])
  expect(usage).toEqual({
    promptTokens: fakeTokens("private words"),
    completionTokens: fakeTokens(WORDS),
    cachedTokens: 64,
    isEstimated: false,
  })
  expect(llm.requests[0]?.body).toEqual({
    model: "m",
    temperature: 0,
    max_tokens: 90,
    messages: [{ role: "user", content: "private words" }],
    stream: true,
    stream_options: { include_usage: true },
  })
})

test("a server that reports no usage is estimated", async () => {
  const write = await startedWith([{ rawContent: WORDS, usage: null }])
  const { usage } = await write()
  expect(usage.isEstimated).toBe(true)
  expect(usage.completionTokens).toBeGreaterThanOrEqual(fakeTokens(WORDS))
})

test("429, 5xx and a connection that breaks before the first word are tried again, and no word comes twice", async () => {
  const write = await startedWith([
    { status: 429, headers: { "retry-after": "1" } },
    null,
    { rawContent: WORDS, words: 0 },
    { rawContent: WORDS },
  ])
  const began = performance.now()
  let heard = ""
  expect((await write({ onToken: (piece) => (heard += piece) })).text).toBe(WORDS)
  expect(heard).toBe(WORDS)
  expect(performance.now() - began).toBeGreaterThan(1_000)
  expect(llm.requests).toHaveLength(4)
})

test.each([
  ["cut half-way", { rawContent: WORDS, words: 2 }, /broke off/],
  ["that ends without saying so", { rawContent: WORDS, words: 2, isEndedEarly: true }, /broke off/],
  ["longer than its limit", { rawContent: WORDS, finishReason: "length" }, /LLM_MAX_TOKENS/],
  ["that is filtered", { rawContent: WORDS, finishReason: "content_filter" }, /refused/],
  ["of nothing", { rawContent: "" }, /nothing/],
])(
  "an answer %s is an error that tells what it took, repeats nothing and is not asked for again",
  async (_, reply, message) => {
    const write = await startedWith([reply])
    const error = await write().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UselessReply)
    expect(error).toMatchObject({ code: "inference_unavailable", message: expect.stringMatching(message) })
    expect((error as UselessReply).usage.promptTokens).toBeGreaterThanOrEqual(fakeTokens("private words"))
    expect((error as Error).message).not.toMatch(/tide|private/)
    expect(llm.requests).toHaveLength(1)
  },
)

test("an answer that doesn't end within the time of a call is given up, and the server hears of it", async () => {
  const write = await startedWith([{ rawContent: WORDS, tokenMs: 150 }], 500)
  await expect(write()).rejects.toMatchObject({ message: expect.stringContaining("LLM_TIMEOUT_MS") })
  await sleep(200)
  expect(llm.aborts).toHaveLength(1)
})

test("a caller who leaves ends it with the caller's own reason, and the server hears of it within 200 ms", async () => {
  const write = await startedWith([{ rawContent: WORDS, tokenMs: 200 }])
  const gone = new AbortController()
  let leftAt = 0
  const onToken = (): void => {
    leftAt = performance.now()
    gone.abort(new Error("gone"))
  }
  await expect(write({ signal: gone.signal, onToken })).rejects.toThrow("gone")
  await sleep(250)
  expect(llm.aborts).toHaveLength(1)
  expect((llm.aborts[0] ?? Infinity) - leftAt).toBeLessThan(200)
})

test("an answer of more bytes than an answer has is not read to its end", async () => {
  const write = await startedWith([{ rawContent: `${"x".repeat(1_000_000)} `.repeat(4) }])
  await expect(write()).rejects.toBeInstanceOf(UselessReply)
})
