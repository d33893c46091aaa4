import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, describe, expect, test } from "vitest"
import type { AnswerResponse } from "../lib/answers/response.ts"
import { createMemoryTokenBudget } from "../lib/token-budget.ts"
import { type AskedName, hit, startAnswering } from "./answering.ts"
import { fakeTokens, type LlmReply } from "./fake-llm.ts"

// What an answer does when a node fails, when tokens or time run out, and when its caller leaves.

let answering: Awaited<ReturnType<typeof startAnswering>>
afterEach(() => answering?.close())

async function start(options: Parameters<typeof startAnswering>[0]) {
  answering = await startAnswering(options)
  return answering
}

describe("a node that fails", () => {
  const BROKEN: [string, LlmReply][] = [
    ["malformed JSON", { rawContent: '{"thought": "It' }],
    ["finish_reason length", { content: { thought: "x", answer: "YES", label: "useful" }, finishReason: "length" }],
    ["another label", { content: { thought: "x", answer: "MAYBE", label: "MAYBE" } }],
    ["status 400", { status: 400 }],
    ["no answer in time", { content: {}, delayMs: 60_000 }],
  ]
  const GRADERS: [AskedName, string, Partial<AnswerResponse>][] = [
    ["RetrievalDecision", "retrieval_decision", { retrieved: true, support: "fully_supported", useful: true }],
    ["RelevanceGrade", "relevance_grader", { retrieved: true, support: "fully_supported", useful: true }],
    ["SupportGrade", "support_grader", { support: null, useful: true }],
    ["UsefulnessGrade", "usefulness_grader", { support: "fully_supported", useful: null }],
  ]
  test.each(
    GRADERS.flatMap(([name, node, expected]) => BROKEN.map(([what, reply]) => ({ name, node, expected, what, reply }))),
  )("$node with $what: the answer is there, and says what it did without", async ({ name, node, expected, reply }) => {
    const { ask } = await start({ script: { [name]: [reply] }, llm: { llmTimeoutMs: 300 } })
    const response = await ask()
    expect(response).toMatchObject({ refused: false, retries: 0, ...expected })
    expect(response.citations.map(({ id }) => id)).toEqual(["tides"])
    expect(response.degraded).toEqual([expect.stringMatching(new RegExp(`^${node}: `))])
  })

  test("a passage that couldn't be judged counts as relevant, and those that could are not affected", async () => {
    const found = ["a", "b", "c"].map((id) => hit(id, `Text of ${id}.`))
    const { ask, llm } = await start({ found: [found], script: { RelevanceGrade: ["NO", { rawContent: "?" }, "NO"] } })
    const response = await ask()
    expect(response.degraded).toEqual([expect.stringContaining("1 of 3 passages were not judged")])
    const written = llm.questions.find(({ name }) => name === "text")?.user ?? ""
    expect(written.match(/<content>/g)).toHaveLength(1)
  })

  test("a query that couldn't be put in other words is searched for as it was", async () => {
    const { ask, searches } = await start({
      script: { RewrittenQuery: [{ rawContent: "?" }], UsefulnessGrade: ["not_useful", "useful"] },
    })
    const response = await ask()
    expect(searches.map(({ query }) => query)).toEqual(["When does the tide turn?", "When does the tide turn?"])
    expect(response.degraded).toEqual([expect.stringMatching(/^increment_retry_for_retrieval: /)])
  })

  test.each<[string, LlmReply, number]>([
    ["that is cut half-way", { rawContent: "The tide turns at noon [Doc 1].", words: 3 }, 2],
    ["longer than its limit", { rawContent: "The tide", finishReason: "length" }, 2],
    ["that is refused", { rawContent: "No", finishReason: "content_filter" }, 2],
    ["of a server that answers 400", { status: 400 }, 1],
    ["of a server that answers 500", { status: 500 }, 4],
  ])("a text %s is inference_unavailable, after a bounded number of tries", async (_, reply, tries) => {
    const { ask, calls } = await start({ script: { text: [reply] } })
    await expect(ask()).rejects.toMatchObject({ code: "inference_unavailable" })
    expect(calls().filter((name) => name === "text")).toHaveLength(tries)
  })

  test("a text that was cut half-way is written anew, and whoever listens is told that it begins anew", async () => {
    const whole = "The tide turns at noon [Doc 1]."
    const { ask, events } = await start({ script: { text: [{ rawContent: whole, words: 3 }, whole] } })
    const response = await ask()
    let heard = ""
    for (const event of events) {
      if (event.type === "step" && event.node === "generator" && event.status === "started") heard = ""
      if (event.type === "token") heard += event.text
    }
    expect(heard).toBe(response.answer)
    expect(response.usage.calls).toBe(7)
  })
})

describe("limits", () => {
  test("usage is the sum over all calls, those that brought nothing included", async () => {
    const { ask, llm } = await start({ script: { RelevanceGrade: ["YES", { rawContent: "{" }] } })
    const { usage, explain = [] } = await ask()
    const prompts = llm.questions.reduce((sum, { system, user }) => sum + fakeTokens(system) + fakeTokens(user), 0)
    expect(usage).toMatchObject({ calls: 6, prompt_tokens: prompts, cached_tokens: 6 * 64, estimated: false })
    const ofSteps = explain.reduce((sum, { tokens = 0 }) => sum + tokens, 0)
    expect(ofSteps).toBe(usage.prompt_tokens + usage.completion_tokens)
  })

  test("a request's tokens end the loops with what there is, and say so", async () => {
    const { ask } = await start({ script: { SupportGrade: ["not_supported"] }, settings: { answerTokensMax: 6_000 } })
    const response = await ask()
    expect(response.usage.prompt_tokens + response.usage.completion_tokens).toBeLessThanOrEqual(6_000)
    expect(response).toMatchObject({ refused: false, support: "not_supported" })
    expect(response.retries).toBeLessThan(3)
    expect(response.degraded?.join()).toContain("ANSWER_TOKENS_MAX")
  })

  test("too few tokens for any answer are a refusal that says why", async () => {
    const { ask } = await start({ settings: { answerTokensMax: 1_500 } })
    const response = await ask()
    expect(response).toMatchObject({ refused: true, citations: [] })
    expect(response.degraded?.join()).toContain("ANSWER_TOKENS_MAX")
  })

  test("a day without tokens is rate_limited, at the start and under way, and asks nothing more", async () => {
    const budget = createMemoryTokenBudget(10_000)
    const { ask, calls } = await start({ deps: { budget } })
    const { day } = await budget.reserve("primary", 1, 8_500)
    await expect(ask()).rejects.toMatchObject({ code: "rate_limited", retryAfterS: expect.any(Number) })
    expect(calls()).not.toContain("text")
    await budget.charge("primary", day, 10_000)
    const count = calls().length
    await expect(ask()).rejects.toMatchObject({ code: "rate_limited" })
    expect(calls()).toHaveLength(count)
  })

  test("a day whose tokens end after a draft gives that draft, and says so", async () => {
    const { ask } = await start({
      script: { SupportGrade: ["not_supported"] },
      deps: { budget: createMemoryTokenBudget(5_000) },
    })
    const response = await ask()
    expect(response).toMatchObject({ refused: false, support: "not_supported" })
    expect(response.degraded?.join()).toContain("ANSWER_TOKENS_PER_DAY")
  })

  test("time that runs out before an answer is deadline_exceeded, and the server hears of it", async () => {
    const { ask, llm } = await start({
      script: { text: [{ rawContent: "The tide turns.", tokenMs: 2_000 }] },
      settings: { answerTimeoutMs: 1_000 },
    })
    const began = performance.now()
    await expect(ask()).rejects.toMatchObject({ code: "deadline_exceeded" })
    expect(performance.now() - began).toBeLessThan(3_000)
    await sleep(100)
    expect(llm.aborts).toHaveLength(1)
  })

  test("time that runs out after an answer gives that answer, and says what was not judged", async () => {
    const slow = { content: { thought: "x", label: "useful" }, delayMs: 60_000 }
    const { ask } = await start({ script: { UsefulnessGrade: [slow] }, settings: { answerTimeoutMs: 1_500 } })
    const response = await ask()
    expect(response).toMatchObject({ support: "fully_supported", useful: null, refused: false })
    expect(response.degraded).toEqual([expect.stringContaining("ANSWER_TIMEOUT_MS")])
  })

  test("what doesn't fit into the model's context is left out, and said", async () => {
    const found = Array.from({ length: 12 }, (_, i) => hit(`d${i}`, `Text ${i}. `.repeat(300)))
    const { ask, llm } = await start({ found: [found] })
    const response = await ask()
    expect(response.degraded).toEqual([expect.stringMatching(/^context_builder: \d+ of 12 relevant passages/)])
    const written = llm.questions.find(({ name }) => name === "text")?.user ?? ""
    expect(fakeTokens(written)).toBeLessThan(2 * 4_096 - 1_024)
    expect(written).toContain("Text 0.")
  })
})

describe("a caller who leaves", () => {
  test.each<[string, AskedName]>([
    ["while a node judges", "RelevanceGrade"],
    ["while the text is written", "text"],
    ["while sentences are judged", "SupportGrade"],
  ])("%s: the server sees the abort within 200 ms, and nothing more is asked", async (_, name) => {
    const slow = name === "text" ? { rawContent: "The tide turns.", tokenMs: 5_000 } : { content: {}, delayMs: 60_000 }
    const { ask, llm } = await start({ script: { [name]: [slow] } })
    const caller = new AbortController()
    const asking = ask({}, { signal: caller.signal })
    asking.catch(() => {})
    while (!llm.questions.some((question) => question.name === name)) await sleep(5)
    await sleep(50)
    const count = llm.questions.length
    const leftAt = performance.now()
    caller.abort(new Error("gone"))
    await expect(asking).rejects.toThrow("gone")
    await sleep(200)
    expect(llm.aborts.length).toBeGreaterThan(0)
    expect(Math.max(...llm.aborts) - leftAt).toBeLessThan(200)
    expect(llm.questions).toHaveLength(count)
  })
})
