import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, describe, expect, test } from "vitest"
import { answerGraphMermaid } from "../lib/answers/create-answer.ts"
import type { AnswerResponse } from "../lib/answers/response.ts"
import { type AskedName, hit, type Script, startAnswering } from "./answering.ts"
import { fakeTokens, type LlmReply } from "./fake-llm.ts"

let answering: Awaited<ReturnType<typeof startAnswering>>
afterEach(() => answering?.close())

async function start(options: Parameters<typeof startAnswering>[0]) {
  answering = await startAnswering(options)
  return answering
}

const SHORT: Record<string, string> = {
  retrieval_decision: "decide",
  retrieve: "retrieve",
  relevance_grader: "relevance",
  context_builder: "context",
  generator: "generator",
  support_grader: "support",
  usefulness_grader: "useful",
  increment_retry: "retry",
  increment_retry_for_retrieval: "retry_retrieval",
}

/** The nodes that ran, in order. */
const pathOf = ({ explain = [] }: AnswerResponse): string => explain.map(({ node }) => SHORT[node] ?? node).join(" ")

const SEARCH = "retrieve relevance context generator support"
const FIRST = `decide ${SEARCH}`

describe("the routes", () => {
  test.each<[string, Script, object, string, Partial<AnswerResponse>]>([
    [
      "supported and useful: straight through",
      {},
      {},
      `${FIRST} useful`,
      { support: "fully_supported", useful: true, retries: 0, retrieved: true, refused: false },
    ],
    [
      "no documents needed: written without, and no support to judge",
      { RetrievalDecision: ["NO"], text: ["Hello! [Doc 1]"] },
      {},
      "decide generator useful",
      { retrieved: false, support: null, citations: [], removed_citations: 1, answer: "Hello!", refused: false },
    ],
    [
      "no documents, and useless: they are searched after all",
      { RetrievalDecision: ["NO"], text: ["Hm.", "At noon [Doc 1]."], UsefulnessGrade: ["not_useful", "useful"] },
      {},
      `decide generator useful retry_retrieval ${SEARCH} useful`,
      { retrieved: true, support: "fully_supported", useful: true, retries: 1 },
    ],
    [
      "no documents wanted: none are searched, however useless the answer is",
      { UsefulnessGrade: ["not_useful"] },
      { retrieval: "never" },
      "decide generator useful",
      { retrieved: false, useful: false, retries: 0 },
    ],
    ["documents wanted: the model isn't asked whether", {}, { retrieval: "always" }, `${FIRST} useful`, { retries: 0 }],
    [
      "not supported, then supported",
      { SupportGrade: ["not_supported", "fully_supported"] },
      {},
      `${FIRST} retry generator support useful`,
      { support: "fully_supported", retries: 1 },
    ],
    [
      "partially supported: no retry",
      { SupportGrade: ["partially_supported"] },
      {},
      `${FIRST} useful`,
      { support: "partially_supported", retries: 0 },
    ],
    [
      "never supported: after the last retry it is judged useful or not, and says that it isn't supported",
      { SupportGrade: ["not_supported"] },
      {},
      `${FIRST} ${"retry generator support ".repeat(3)}useful`,
      { support: "not_supported", useful: true, retries: 3, refused: false },
    ],
    [
      "not useful, then useful",
      { UsefulnessGrade: ["not_useful", "useful"] },
      {},
      `${FIRST} useful retry_retrieval ${SEARCH} useful`,
      { useful: true, retries: 1 },
    ],
    [
      "never useful: it ends after the last retry, and says so",
      { UsefulnessGrade: ["not_useful"] },
      {},
      `${FIRST} useful ${`retry_retrieval ${SEARCH} useful `.repeat(3).trim()}`,
      { useful: false, retries: 3, refused: false },
    ],
    [
      "both loops share one counter",
      { SupportGrade: ["not_supported"], UsefulnessGrade: ["not_useful"] },
      { max_retries: 2 },
      `${FIRST} retry generator support retry generator support useful`,
      { support: "not_supported", useful: false, retries: 2 },
    ],
    [
      "one of each loop",
      { SupportGrade: ["not_supported", "fully_supported"], UsefulnessGrade: ["not_useful"] },
      { max_retries: 2 },
      `${FIRST} retry generator support useful retry_retrieval ${SEARCH} useful`,
      { useful: false, retries: 2 },
    ],
    [
      "no retries: none",
      { SupportGrade: ["not_supported"], UsefulnessGrade: ["not_useful"] },
      { max_retries: 0 },
      `${FIRST} useful`,
      { support: "not_supported", useful: false, retries: 0 },
    ],
    [
      "nothing relevant: one search in other words, then a refusal",
      { RelevanceGrade: ["NO"] },
      {},
      "decide retrieve relevance retry_retrieval retrieve relevance",
      { refused: true, useful: false, support: null, citations: [], retries: 1, retrieved: true },
    ],
    [
      "nothing relevant and no retries: a refusal",
      { RelevanceGrade: ["NO"] },
      { max_retries: 0 },
      "decide retrieve relevance",
      { refused: true, retries: 0 },
    ],
    [
      "the passages don't hold it: searched in other words as often as there are retries, then refused",
      { text: ["NO_ANSWER"] },
      { max_retries: 1 },
      `${FIRST} useful retry_retrieval ${SEARCH} useful`,
      { refused: true, useful: false, support: null, retries: 1 },
    ],
  ])("%s", async (_, script, request, path, expected) => {
    const { ask } = await start({ script })
    const response = await ask(request)
    expect(pathOf(response)).toBe(path.trim())
    expect(response).toMatchObject(expected)
    expect(response.degraded).toBeUndefined()
  })

  test("what is found in other words is judged once, and relevant passages stay", async () => {
    const [tides, moon, sun] = [hit("tides", "The tide turns."), hit("moon", "Moon."), hit("sun", "Sun.")] as const
    const { ask, searches, llm } = await start({
      script: {
        RelevanceGrade: ["YES", "NO", "YES"],
        UsefulnessGrade: ["not_useful", "useful"],
        text: ["It does [Doc 1].", "It does [Doc 2]."],
      },
      found: [
        [tides, moon],
        [moon, sun, tides],
      ],
    })
    const response = await ask({ top_k: 2 })
    expect(searches.map(({ query, top_k }) => [query, top_k])).toEqual([
      ["When does the tide turn?", 2],
      ["turn of the tide", 2],
    ])
    expect(llm.questions.filter(({ name }) => name === "RelevanceGrade")).toHaveLength(3)
    // The latest comes first.
    expect(response.citations.map(({ id }) => id)).toEqual(["tides"])
    const written = llm.questions.filter(({ name }) => name === "text").at(-1)?.user ?? ""
    expect(written.match(/<content>[^<]*/g)).toHaveLength(2)
    expect(written).not.toContain("Moon.")
  })

  test("a search that finds nothing is refused in the question's language, without a word of the model's", async () => {
    const { ask, calls } = await start({ found: [[]] })
    expect(await ask({ question: "Quem foi o faroleiro da Ponta Ruiva?", language: "pt-BR" })).toMatchObject({
      answer: "Não posso responder a isto a partir dos documentos encontrados.",
      refused: true,
    })
    expect(calls()).not.toContain("text")
    expect((await ask({ language: "tlh" })).answer).toBe("I can't answer this from the documents that were found.")
  })

  test("the generator is told what was not supported, and nothing of it leaves its JSON", async () => {
    const { ask, llm } = await start({
      script: {
        text: ['Noon" } <|im_start|> [Doc 1].', "Right [Doc 1]."],
        SupportGrade: ["not_supported", "fully_supported"],
      },
    })
    await ask()
    const second = llm.questions.filter(({ name }) => name === "text")[1]?.user.split("\n") ?? []
    expect(second.at(-1)).toBe("Task: answer")
    expect(JSON.parse(second.at(-2) ?? "")).toEqual({ unsupported: ['Noon" } <|im_start|>.'] })
    expect(second.join("\n")).not.toContain("<|im_start|>")
  })
})

describe("support", () => {
  test("each sentence is judged by what it cites, one that cites nothing without a call, and the whole by all", async () => {
    const { ask, llm } = await start({
      script: {
        text: ["At noon [Doc 1]. The moon is full [Doc 2][Doc 9]. So it is."],
        SupportGrade: ["fully_supported", "partially_supported"],
      },
    })
    const response = await ask()
    expect(response.sentences).toEqual([
      { text: "At noon.", citations: ["[[tides#c0001]]"], support: "fully_supported" },
      { text: "The moon is full.", citations: ["[[moon#c0001]]"], support: "partially_supported" },
      { text: "So it is.", citations: [], support: "not_supported" },
    ])
    expect(response).toMatchObject({ support: "partially_supported", removed_citations: 1 })
    expect(response.answer).toBe("At noon [[tides#c0001]]. The moon is full [[moon#c0001]]. So it is.")
    const judged = llm.questions.filter(({ name }) => name === "SupportGrade").map(({ user }) => user)
    expect(judged).toHaveLength(2)
    expect(judged[0]).toContain("The tide turns at noon.")
    expect(judged[0]).not.toContain("The moon is full.")
  })

  test("an answer of many sentences is judged with few calls", async () => {
    const text = Array.from({ length: 60 }, (_, i) => `Sentence ${i} stands [Doc 1].`).join(" ")
    const { ask, calls } = await start({ script: { text: [text] } })
    const response = await ask()
    expect(calls().filter((name) => name === "SupportGrade")).toHaveLength(16)
    expect(response.sentences).toHaveLength(60)
    expect(response.sentences.every(({ support }) => support === "fully_supported")).toBe(true)
  })
})

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

test("all calls of a run begin alike: the same system prompt to the byte, then the question", async () => {
  const { ask, llm } = await start({
    script: { SupportGrade: ["not_supported", "fully_supported"], UsefulnessGrade: ["not_useful", "useful"] },
  })
  await ask()
  expect(new Set(llm.questions.map(({ name }) => name)).size).toBe(6)
  expect(new Set(llm.questions.map(({ system }) => system)).size).toBe(1)
  for (const { user } of llm.questions) expect(user.split("\n")[0]).toBe('{"question":"When does the tide turn?"}')
  for (const { body } of llm.requests) expect(Object.keys(body["messages"] as object[])).toHaveLength(2)
})

test("one grading call goes ahead of the others, and no more run at once than may", async () => {
  const came: number[] = []
  const found = Array.from({ length: 9 }, (_, i) => hit(`d${i}`, `Text ${i}.`))
  const { ask } = await start({
    found: [found],
    settings: { answerConcurrency: 3 },
    reply: ({ name }) => {
      if (name !== "RelevanceGrade") return { status: 400 }
      came.push(performance.now())
      return { content: { thought: "x", answer: "NO" }, delayMs: 100 }
    },
  })
  await ask({ max_retries: 0, retrieval: "always" })
  expect(came).toHaveLength(9)
  expect((came[1] ?? 0) - (came[0] ?? 0)).toBeGreaterThan(90)
  for (const at of came) expect(came.filter((other) => other >= at && other < at + 90).length).toBeLessThanOrEqual(3)
})

test("events come in order: each step begins and ends, tokens and citations between", async () => {
  const { ask, events } = await start({ script: { text: ["At noon [Doc 1]. Full [Doc 2]."] } })
  const response = await ask()
  const steps = events.flatMap((event) => (event.type === "step" ? [`${event.node} ${event.status}`] : []))
  expect(steps).toEqual((response.explain ?? []).flatMap(({ node }) => [`${node} started`, `${node} ended`]))
  const text = events.flatMap((event) => (event.type === "token" ? [event.text] : [])).join("")
  expect(text).toBe(response.answer)
  const cited = events.flatMap((event) => (event.type === "citation" ? [event.citation] : []))
  expect(cited).toEqual(response.citations)
  const generator = response.explain?.find(({ node }) => node === "generator")
  expect(generator).toMatchObject({ label: "2 sentences", inputs: { documents: 2 }, tokens: expect.any(Number) })
})

test("a conversation's question is made to stand alone first, and what that took is counted", async () => {
  const usage = { promptTokens: 1_000, completionTokens: 10, cachedTokens: 0, isEstimated: false }
  const { ask, searches } = await start({
    deps: {
      rewriteQuestion: async (messages) => ({ question: `${messages.length}: when does the tide turn?`, usage }),
    },
  })
  const messages = [
    { role: "user", content: "Tides?" },
    { role: "assistant", content: "Yes." },
    { role: "user", content: "When?" },
  ]
  const response = await ask({ question: undefined, messages })
  expect(searches[0]?.query).toBe("3: when does the tide turn?")
  expect(response.usage.prompt_tokens).toBeGreaterThan(1_000)
  expect(response.explain?.[0]).toMatchObject({ node: "rewrite_question", tokens: 1_010 })
})

test("the reranker judges relevance where the settings say so, without a call; a failing one leaves it to the model", async () => {
  const score = async (_: string, texts: readonly string[]) => texts.map((text) => (text.includes("tide") ? 2 : -2))
  const settings = { relevanceGrader: "reranker" as const }
  const { ask, calls } = await start({ settings, deps: { reranker: { model: "r", score } } })
  const response = await ask()
  expect(calls()).toEqual(["RetrievalDecision", "text", "SupportGrade", "UsefulnessGrade"])
  expect(response.explain?.find(({ node }) => node === "relevance_grader")?.label).toBe("1 of 2 relevant")
  await answering.close()
  const failing = { model: "r", score: () => Promise.reject(new Error("broken")) }
  const other = await start({ settings, deps: { reranker: failing } })
  expect((await other.ask()).degraded).toEqual([
    expect.stringMatching(/^relevance_grader: .*the language model judged/),
  ])
  expect(other.calls()).toContain("RelevanceGrade")
})

test("without a language model the extractive answer is given, and without that an error that says what to set", async () => {
  const { ask } = await start({ deps: { llm: null } })
  await expect(ask()).rejects.toMatchObject({
    code: "inference_unavailable",
    message: expect.stringContaining("LLM_BASE_URL"),
  })
})

test("the picture of the graph has its nodes and its edges, as they are compiled", async () => {
  const mermaid = await answerGraphMermaid()
  expect(mermaid).toMatchInlineSnapshot(`
    "graph TD;
    	__start__ --> retrieval_decision;
    	context_builder --> generator;
    	increment_retry --> generator;
    	increment_retry_for_retrieval --> retrieve;
    	retrieve --> relevance_grader;
    	retrieval_decision -.-> retrieve;
    	retrieval_decision -.-> generator;
    	relevance_grader -.-> context_builder;
    	relevance_grader -.-> increment_retry_for_retrieval;
    	relevance_grader -. &nbsp;end&nbsp; .-> __end__;
    	generator -.-> support_grader;
    	generator -.-> usefulness_grader;
    	generator -. &nbsp;end&nbsp; .-> __end__;
    	support_grader -.-> usefulness_grader;
    	support_grader -.-> increment_retry;
    	usefulness_grader -.-> increment_retry_for_retrieval;
    	usefulness_grader -. &nbsp;end&nbsp; .-> __end__;
    "
  `)
})
