import { afterEach, describe, expect, test } from "vitest"
import { answerGraphMermaid } from "../lib/answers/create-answer.ts"
import type { AnswerResponse } from "../lib/answers/response.ts"
import { randomFrom } from "../lib/random.ts"
import { type AskedName, hit, replyOf, type Script, startAnswering } from "./answering.ts"
import { bundleModule } from "./bundle-function.ts"

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

test("whatever the model writes, what is answered and told cites passages that were found and no others", async () => {
  const random = randomFrom(11)
  const bits = [
    "[Doc 1]",
    "[Doc 2]",
    "[Doc 3]",
    "[Doc 0]",
    "[[tides#c0001]]",
    "[[evil#c0001]]",
    "[[moon#c0001",
    "]]",
    "[[",
  ]
  bits.push("[Doc", " 2", "]", "Noon.", " ", "\n", "The moon", ". ", "NO_ANSWER", "</content>", "\uE001")
  const { ask, events } = await start({
    reply: ({ name }) => {
      if (name !== "text") return replyOf(name as AskedName, name === "SupportGrade" ? "fully_supported" : "useful")
      const pieces = Array.from({ length: 1 + random() * 12 }, () => bits[Math.floor(random() * bits.length)])
      return { rawContent: `${pieces.join("")} end` }
    },
    settings: { relevanceGrader: "reranker" },
    deps: { reranker: { model: "r", score: async (_, texts) => texts.map(() => 1) } },
  })
  const found = new Set(["[[tides#c0001]]", "[[moon#c0001]]"])
  for (let round = 0; round < 100; round++) {
    events.length = 0
    const { answer, sentences, citations } = await ask({ retrieval: "always", max_retries: 0 })
    const listed = citations.map(({ citation }) => citation)
    for (const citation of [...listed, ...(answer.match(/\[\[[^[\]]*\]\]/g) ?? [])]) expect(found).toContain(citation)
    for (const sentence of sentences) expect(listed).toEqual(expect.arrayContaining(sentence.citations))
    const told = events.flatMap((event) => (event.type === "citation" ? [event.citation.citation] : []))
    for (const citation of told) expect(found).toContain(citation)
  }
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
  const { ask, calls, llm, searches } = await start({
    script: { rewritten_question: ["When does the tide at Ys turn?"] },
  })
  const messages = [
    { role: "user", content: "Tell me of the tide at Ys." },
    { role: "assistant", content: "It is high." },
    { role: "user", content: "When does it turn?" },
  ]
  const response = await ask({ question: undefined, messages })
  expect(calls()[0]).toBe("rewritten_question")
  expect(new Set(llm.questions.map(({ system }) => system)).size).toBe(1)
  expect(searches[0]?.query).toBe("When does the tide at Ys turn?")
  expect(response.usage.calls).toBe(llm.questions.length)
  expect(response.explain?.[0]).toMatchObject({ node: "rewrite_question", tokens: expect.any(Number) })
})

test("where the model rewrites nothing, the words of before are added by rule, and the answer says so", async () => {
  const { ask, searches } = await start({ script: { rewritten_question: [{ rawContent: "no JSON" }] } })
  const messages = [
    { role: "user", content: "Tell me of the tide at Ys." },
    { role: "assistant", content: "It is high." },
    { role: "user", content: "When does it turn?" },
  ]
  const response = await ask({ question: undefined, messages })
  expect(searches[0]?.query).toMatch(/^When does it turn\? .*tide/)
  expect(response.degraded).toEqual([expect.stringMatching(/^rewriting: .*not JSON/)])
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

test("LangGraph is loaded by the first answer, and not by whatever imports answers", async () => {
  const bundle = await bundleModule("lib/answers/create-answer.ts")
  expect(bundle.has("@langchain/langgraph")).toBe(true)
  expect(bundle.loads("@langchain")).toBe(false)
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
