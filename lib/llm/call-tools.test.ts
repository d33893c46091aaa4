import { afterEach, describe, expect, test } from "vitest"
import * as z from "zod"
import { fakeTokens } from "../../tests/fake-llm.ts"
import { call, startFakeToolLlm, type ToolAnswer } from "../../tests/fake-tool-llm.ts"
import { type ToolMessage, UselessReply } from "./chat-model.ts"
import { openLlm } from "./open-llm.ts"

const LOOK = {
  name: "look",
  description: "Looks something up.",
  input: z.strictObject({ word: z.string(), times: z.int().default(1) }),
}
const ASKED: ToolMessage[] = [{ role: "user", content: "What is tar?" }]

let llm: Awaited<ReturnType<typeof startFakeToolLlm>>
afterEach(() => llm.close())

async function startedWith(...replies: readonly ToolAnswer[]) {
  llm = await startFakeToolLlm((_, count) => replies[Math.min(count, replies.length) - 1] ?? null)
  const model = openLlm({
    useVllm: false,
    vllmBaseUrl: "http://127.0.0.1:1/v1",
    vllmModel: "qwen",
    llmBaseUrl: llm.baseUrl,
    llmModel: "m",
    openrouterModel: "o",
    llmTemperature: 0,
    llmTimeoutMs: 3_000,
    llmMaxTokens: 500,
  })
  if (!model) throw new Error("there is no model")
  return (messages = ASKED, tools = [LOOK]) => model.callTools({ messages, tools, maxTokens: 300 })
}

test("tools go out in OpenAI's shape, and a call comes back with its arguments and what it took", async () => {
  const callTools = await startedWith({ calls: [call("look", { word: "tar" }, "a1")] })
  const { usage, ...reply } = await callTools()
  expect(reply).toEqual({
    text: "",
    toolCalls: [{ id: "a1", name: "look", arguments: { value: { word: "tar" } } }],
  })
  expect(usage).toMatchObject({ cachedTokens: 64, isEstimated: false })
  expect(llm.requests[0]?.body).toEqual({
    model: "m",
    temperature: 0,
    max_tokens: 300,
    messages: [{ role: "user", content: "What is tar?" }],
    tools: [
      {
        type: "function",
        function: {
          name: "look",
          description: "Looks something up.",
          parameters: {
            type: "object",
            properties: {
              word: { type: "string" },
              times: {
                type: "integer",
                default: 1,
                minimum: Number.MIN_SAFE_INTEGER,
                maximum: Number.MAX_SAFE_INTEGER,
              },
            },
            required: ["word"],
            additionalProperties: false,
          },
        },
      },
    ],
    tool_choice: "auto",
  })
})

test("earlier calls go back as they came, malformed arguments as none, each with the answer to it", async () => {
  const callTools = await startedWith({ content: "Pitch." })
  const { text, toolCalls } = await callTools([
    ...ASKED,
    {
      role: "assistant",
      text: "",
      toolCalls: [
        { id: "a1", name: "look", arguments: { value: { word: "tar" } } },
        { id: "a2", name: "look", arguments: { problem: "The arguments are not a JSON object" } },
      ],
    },
    { role: "tool", callId: "a1", content: '{"result":"found"}' },
    { role: "tool", callId: "a2", content: '{"result":"bad"}' },
  ])
  expect({ text, toolCalls }).toEqual({ text: "Pitch.", toolCalls: [] })
  expect(llm.turns[0]?.messages.slice(1)).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "a1", type: "function", function: { name: "look", arguments: '{"word":"tar"}' } },
        { id: "a2", type: "function", function: { name: "look", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "a1", content: '{"result":"found"}' },
    { role: "tool", tool_call_id: "a2", content: '{"result":"bad"}' },
  ])
})

test("without tools none are offered, and calls are dropped, also those in the text", async () => {
  const wire = '<tool_call>{"name": "look", "arguments": {}}</tool_call>'
  const callTools = await startedWith({ content: `Pitch. ${wire}`, calls: [call("look", {})] }, { content: wire })
  expect(await callTools(ASKED, [])).toMatchObject({ text: "Pitch.", toolCalls: [] })
  await expect(callTools(ASKED, [])).rejects.toThrow(/nothing/)
  expect(llm.requests[0]?.body).not.toHaveProperty("tools")
  expect(llm.requests[0]?.body).not.toHaveProperty("tool_choice")
})

describe("arguments as servers and models write them", () => {
  const NO_OBJECT = { problem: expect.stringContaining("not a JSON object") }
  test.each([
    ["an object", { word: "tar" }, { value: { word: "tar" } }],
    ["nothing", undefined, { value: {} }],
    ["null", null, { value: {} }],
    ["an empty text", "", { value: {} }],
    ["the text null", "null", { value: {} }],
    ["half of JSON", '{"word": "ta', NO_OBJECT],
    ["a list", "[1]", NO_OBJECT],
    ["prose", "look for tar", NO_OBJECT],
  ])("%s", async (_, given, read) => {
    const callTools = await startedWith({ calls: [{ id: "a1", function: { name: "look", arguments: given } }] })
    expect((await callTools()).toolCalls).toEqual([{ id: "a1", name: "look", arguments: read }])
  })
})

test("calls without ids, or of one id, get ids of their own, of the nine characters that Mistral's template takes", async () => {
  const bare = { function: { name: "look", arguments: "{}" } }
  const callTools = await startedWith({
    calls: [bare, { ...bare, id: null }, { ...bare, id: "x" }, { ...bare, id: "x" }],
  })
  const ids = (await callTools()).toolCalls.map(({ id }) => id)
  expect(new Set(ids).size).toBe(4)
  expect(ids.filter((id) => id !== "x")).toEqual([1, 2, 4].map(() => expect.stringMatching(/^[a-z0-9]{9}$/)))
})

test.each([
  [
    "a call in the text, as vLLM leaves what its parser can't read",
    'Let me see.\n<tool_call>\n{"name": "look", "arguments": {"word": "tar"}}\n</tool_call>',
    { text: "Let me see.", toolCalls: [{ name: "look", arguments: { value: { word: "tar" } } }] },
  ],
  [
    "a malformed one",
    '<tool_call>\n{"name": "look", "arguments": {"word": tar}}',
    { text: "", toolCalls: [{ name: "", arguments: { problem: expect.any(String) } }] },
  ],
])("%s is a call", async (_, content, reply) => {
  const callTools = await startedWith({ content })
  expect(await callTools()).toMatchObject(reply)
})

test.each([
  ["nothing", { content: null }, /nothing/],
  ["a blank", { content: " \n" }, /nothing/],
  ["half an answer", { content: "Pit", finishReason: "length" }, /LLM_MAX_TOKENS/],
  ["half a call", { calls: [call("look", {})], finishReason: "length" }, /LLM_MAX_TOKENS/],
  ["a filtered answer", { content: "x", finishReason: "content_filter" }, /refused/],
])("%s is an error that tells what it took", async (_, reply, message) => {
  const callTools = await startedWith(reply)
  const error = await callTools().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UselessReply)
  expect((error as UselessReply).message).toMatch(message)
  expect((error as UselessReply).usage.promptTokens).toBeGreaterThan(0)
})

test("a server that reports no usage is estimated, tools and calls included, high rather than low", async () => {
  const calls = [call("look", { word: "tar" })]
  const callTools = await startedWith({ calls, usage: null })
  const { usage } = await callTools()
  expect(usage.isEstimated).toBe(true)
  expect(usage.promptTokens).toBeGreaterThanOrEqual(
    fakeTokens(JSON.stringify([llm.requests[0]?.body["messages"], llm.requests[0]?.body["tools"]])),
  )
  expect(usage.completionTokens).toBeGreaterThanOrEqual(fakeTokens(JSON.stringify(calls)))
})

test("503 is asked again, as every call of the model is", async () => {
  const callTools = await startedWith({ status: 503 }, { content: "Pitch." })
  expect((await callTools()).text).toBe("Pitch.")
})
