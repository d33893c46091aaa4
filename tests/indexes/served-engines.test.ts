import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { createChat } from "../../lib/answers/chat/chat.ts"
import { ChatRequest } from "../../lib/answers/request.ts"
import { parseConfig } from "../../lib/config.ts"
import { deadlineIn } from "../../lib/deadline.ts"
import { openEngine } from "../../lib/indexes/open-index.ts"
import type { NewRecord } from "../../lib/indexes/search-index.ts"
import { openInference } from "../../lib/inference/open-inference.ts"
import { openLlm } from "../../lib/llm/open-llm.ts"
import { openSearchedIndex } from "../../lib/runtime/open-searched-index.ts"
import { createMemoryTokenBudget } from "../../lib/token-budget.ts"
import { call, startFakeToolLlm } from "../fake-tool-llm.ts"
import { testModelHome } from "../model-home.ts"
import { concordance } from "../run-concordance.ts"
import { type Served, serve } from "../served.ts"
import { createWordEmbedder } from "../word-embedder.ts"
import { uuid } from "./records.ts"
import { ENGINES, type EngineUnderTest, type Settings, type StartedEngine } from "./served-engines.ts"

// The product over somebody's index, engine by engine, asked over HTTP: nothing of it was written by Concordance's ingestion.

interface Passage {
  readonly text: string
  readonly source: string
  /** From 0, as LangChain's loaders count. */
  readonly page: number
  readonly owner: "primary" | "acme"
  readonly parent?: number
}

const PASSAGES: Readonly<Record<number, Passage>> = {
  0: { text: "The keeper trimmed the lamp every four hours.", source: "manual.pdf", page: 0, owner: "primary" },
  1: {
    text: "A schooner ran aground on the reef in thick fog; the pilot boat took off her crew.",
    ...{ source: "wreck.pdf", page: 3, owner: "primary", parent: 100 },
  },
  2: { text: "Salted cod was the island's main export until 1930.", source: "trade.pdf", page: 1, owner: "primary" },
  3: { text: "High water comes fifty minutes later each day.", source: "tides.pdf", page: 2, owner: "primary" },
  4: {
    text: "Onions and the catch of the day are simmered for an hour.",
    source: "stew.pdf",
    page: 0,
    owner: "primary",
  },
  5: { text: "Hemp ropes were tarred in the ropewalk behind the quay.", source: "rope.pdf", page: 5, owner: "primary" },
  6: {
    text: "Brandy of a wrecked schooner was the smuggler's main cargo until 1861.",
    ...{ source: "secret.pdf", page: 0, owner: "acme", parent: 101 },
  },
}
const PARENTS: Readonly<Record<number, Passage>> = {
  100: { text: "The whole report of the wreck.", source: "wreck.pdf", page: 3, owner: "primary" },
  101: { text: "The whole confession of the smuggler.", source: "secret.pdf", page: 0, owner: "acme" },
}
const WRECK = { citation: `[[wreck.pdf/p004#${uuid(1)}]]`, parent: `[[wreck.pdf/p004#${uuid(100)}]]` }
const QUESTION = "Who rescued the sailors of the ship?"

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of many shapes
type Answered = any

let records: { readonly children: readonly NewRecord[]; readonly parents: readonly NewRecord[] }
beforeAll(async () => {
  const inference = await openInference({ ...parseConfig({}), home: await testModelHome() })
  const recordsOf = async (passages: Readonly<Record<number, Passage>>): Promise<NewRecord[]> => {
    const texts = Object.values(passages).map(({ text }) => text)
    const { vectors = [] } = (await inference.embedder?.embed(texts, "passage")) ?? {}
    return Object.entries(passages).map(([number, { text, parent, ...metadata }], i) => ({
      ...{ id: uuid(Number(number)), text, vector: vectors[i] ?? [] },
      payload: { ...metadata, year: 1900 + Number(number), ...(parent && { parent_id: uuid(parent) }) },
    }))
  }
  records = { children: await recordsOf(PASSAGES), parents: await recordsOf(PARENTS) }
  await inference.close()
})

for (const [engine, { missing }] of Object.entries(ENGINES)) {
  if (missing !== null) test.skip(`${engine} is not asked here: ${missing}`, () => {})
}

describe.each(Object.entries(ENGINES).filter(([, { missing }]) => missing === null))("over %s", (engine, { start }) => {
  let started: StartedEngine
  let served: Served
  let hasWords: boolean

  beforeAll(async () => {
    started = await start()
    for (const collection of ["children", "parents"] as const)
      await started.write(collection, records[collection], null)
    served = await serve({ environment: started.byField, isMigrated: true })
    hasWords = ["pinecone", "weaviate"].includes(engine)
  })
  afterAll(async () => {
    await served?.close()
    await started?.close()
  })

  const post = async (path: string, body: object, status = 200): Promise<Answered> => {
    const response = await served.post(path, body)
    const answered = await response.json()
    expect(response.status, JSON.stringify(answered)).toBe(status)
    return answered
  }
  const get = async (path: string) => {
    const response = await served.send("GET", path)
    return { status: response.status, body: (await response.json()) as Answered }
  }

  test("/search finds by meaning and words with title, page and citation, and says what had a substitute", async () => {
    const { results, strategy, degraded } = await post("/search", { query: QUESTION })
    expect(results[0]).toMatchObject({
      ...{ id: "wreck.pdf", title: "wreck.pdf", content: PASSAGES[1]?.text, page: 4, citation: WRECK.citation },
      metadata: expect.objectContaining({ year: 1901 }),
    })
    expect(strategy).toBe("rrf")
    expect(degraded ?? []).toEqual(hasWords ? [] : [expect.stringMatching(/^words: .* has no search by words/)])
    const words = await post("/search", { query: "cod", strategy: "lexical", highlight: true })
    expect(words.results.map(({ id }: Answered) => id)).toEqual(["trade.pdf"])
    expect(words.results[0].highlights).toEqual([{ start: 7, end: 10 }])
    // Of records elsewhere there are no pages and no pictures here.
    expect(JSON.stringify(results)).not.toMatch(/page_url|crop_url/)
  })

  test("filters choose, and one that the engine can't express is 400 and names both", async () => {
    const found = await post("/search", { query: QUESTION, filter: { year: { gte: 1902, lt: 1905 } } })
    expect(found.results.map(({ id }: Answered) => id).sort()).toEqual(["stew.pdf", "tides.pdf", "trade.pdf"])
    const one = await post("/search", { query: QUESTION, filter: { document_id: { in: ["trade.pdf", "rope.pdf"] } } })
    expect(one.results.map(({ id }: Answered) => id).sort()).toEqual(["rope.pdf", "trade.pdf"])
    if (["pgvector", "pinecone"].includes(engine)) return
    const refused = await post("/search", { query: QUESTION, filter: { year: { exists: true } } }, 400)
    expect(refused).toMatchObject({
      code: "invalid_request",
      detail: expect.stringMatching(new RegExp(`filter.year: exists .* ${engine}`)),
    })
  })

  test.each([
    ["", {}],
    [", diversified", { mmr: true, lambda: 0.5 }],
    [", reranked", { rerank: true }],
    [", shown as parents", { expand_parents: true }],
  ])("pages%s follow from the first, and every list is explained", async (_, more) => {
    const asked = { query: "What happened to the ship in the fog at the quay?", ...more }
    const whole = await post("/search", { ...asked, explain: true })
    const paged: Answered[] = []
    let cursor: string | undefined
    do {
      const { results, next_cursor } = await post("/search", { ...asked, top_k: 4, ...(cursor && { cursor }) })
      paged.push(...results)
      cursor = next_cursor
    } while (cursor)
    const named = (results: Answered[]) => results.map(({ citation }) => citation)
    expect(named(paged)).toEqual(named(whole.results))
    expect(paged).toHaveLength(6)
    const stages = whole.explain.map(({ stage }: Answered) => stage)
    expect(stages).toEqual(expect.arrayContaining(["dense", "lexical", "fuse"]))
    if ("mmr" in more) expect(stages).toContain("diversify")
    if ("rerank" in more) expect(stages).toContain("rerank")
    if ("expand_parents" in more) expect(named(paged)).toContain(WRECK.parent)
    expect((whole.degraded ?? []).filter((note: string) => !note.startsWith("words: "))).toEqual([])
  })

  test("/answer quotes the index's records, streamed as in JSON, and refuses what they don't answer", async () => {
    const question = "What was the island's main export until 1930?"
    const answered = await post("/answer", { question })
    const citation = `[[trade.pdf/p002#${uuid(2)}]]`
    expect(answered).toMatchObject({ refused: false, generator: "extractive" })
    expect(answered.sentences[0]).toMatchObject({ text: PASSAGES[2]?.text, citations: [citation] })
    expect(answered.citations[0]).toMatchObject({ citation, id: "trade.pdf", page: 2, title: "trade.pdf" })
    expect(JSON.stringify(answered)).not.toMatch(/page_url|crop_url/)
    const stream = await served.post("/answer", { question }, { accept: "text/event-stream" })
    const [, done = ""] = /event: done\ndata: (.*)/.exec(await stream.text()) ?? []
    expect(JSON.parse(done)).toEqual(answered)
    expect(await post("/answer", { question: "Which planet has the most moons?" })).toMatchObject({ refused: true })
  })

  test("MCP's retrieve shows the passage's parent, and what it cites is read, as a tool and as a resource", async () => {
    const found = await callMcp(served, "retrieve", { query: "shipwreck in fog" })
    expect(found.structuredContent.results[0]).toMatchObject({
      ...{ id: "wreck.pdf", content: PARENTS[100]?.text, citation: WRECK.parent },
    })
    const links = found.content.filter(({ type }: Answered) => type === "resource_link")
    expect(links[0]?.uri).toBe(`doc://wreck.pdf/p004#${uuid(100)}`)
    const read = await askMcp(served, "resources/read", { uri: links[0]?.uri })
    expect(read.contents[0].text).toContain(PARENTS[100]?.text)
    for (const [citation, content] of [
      [WRECK.parent, PARENTS[100]?.text],
      [WRECK.citation, PASSAGES[1]?.text],
    ]) {
      const passage = await callMcp(served, "read_chunk", { citation })
      expect(passage.structuredContent).toMatchObject({ content, citation, page: 4 })
    }
    const chunks = await callMcp(served, "hybrid_search", { query: "shipwreck in fog" })
    expect(chunks.structuredContent.results[0]).toMatchObject({ citation: WRECK.citation })
  })

  test("a cited passage is read over HTTP; page, picture and document of it are 404 and say why", async () => {
    const { status, body } = await get(`/documents/wreck.pdf/chunks/${uuid(1)}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: uuid(1), document_id: "wreck.pdf", content: PASSAGES[1]?.text, page: 4 })
    expect(body).toMatchObject({ citation: WRECK.citation, parent_id: uuid(100) })
    const absent = [
      ...["/documents/wreck.pdf", "/documents/wreck.pdf/pages", "/documents/wreck.pdf/pages/4"],
      ...["/documents/wreck.pdf/pages/4/image", `/crop/wreck.pdf/4?chunk=${uuid(1)}`],
    ]
    for (const path of absent) {
      const why = new RegExp(`no document with this id. Searches read ${engine}, whose records have no pages`)
      expect(await get(path), path).toMatchObject({ status: 404, body: { detail: expect.stringMatching(why) } })
    }
    for (const path of [`/documents/trade.pdf/chunks/${uuid(1)}`, `/documents/wreck.pdf/chunks/${uuid(77)}`])
      expect((await get(path)).status, path).toBe(404)
    const crop = await callMcp(served, "crop", { citation: WRECK.citation })
    expect(crop).toMatchObject({ isError: true })
    expect(crop.content[0].text).toContain("no pages or pictures")
  })

  test("a chat's tools search and read the index", async () => {
    const results: Answered[] = []
    const llm = await startFakeToolLlm((turn, count) => {
      results.push(...turn.results.slice(results.length))
      if (count === 1) return { calls: [call("hybrid_search", { query: "shipwreck in fog" })] }
      if (count === 2) return { calls: [call("read_chunk", { citation: WRECK.citation })] }
      return { content: `The pilot boat took off her crew ${WRECK.citation}.` }
    })
    const settings = { answerTimeoutMs: 20_000, answerTokensMax: 50_000, answerConcurrency: 2 }
    const { retrieve, documentPages: pages, anomalies, answers } = served.runtime
    const model = openLlm(parseConfig({ LLM_BASE_URL: llm.baseUrl, LLM_MODEL: "fake" }))
    const budget = createMemoryTokenBudget(1_000_000)
    const chat = createChat({
      ...{ llm: model, retrieve, pages, anomalies, budget, settings },
      ...{ detector: null, extractive: answers.answer },
    })
    try {
      const asked = ChatRequest.parse({ question: QUESTION })
      const { citations, removed_citations } = await chat("primary", asked, deadlineIn(20_000))
      expect(citations).toMatchObject([{ citation: WRECK.citation, content: PASSAGES[1]?.text }])
      expect(removed_citations).toBe(0)
      expect(results[1]).toMatchObject({ passages: [{ cite: WRECK.citation, text: PASSAGES[1]?.text }] })
    } finally {
      await llm.close()
    }
  })

  test("tenants whose field it is never see each other's", () => expectApart(served))

  test("tenants with a partition never see each other's, or the start refuses it", async () => {
    if (!started.byPartition) {
      const several = { ...started.byField, VECTORDB_TENANCY: "partition" }
      await expect(openIndex(several)).rejects.toThrow(
        /VECTORDB_TENANCY is partition, .* has none: .*VECTORDB_TENANT_FIELD/,
      )
      return
    }
    for (const tenant of ["primary", "acme"]) {
      for (const collection of ["children", "parents"] as const) {
        const own = records[collection].filter(({ payload }) => payload["owner"] === tenant)
        await started.write(collection, own, tenant)
      }
    }
    const divided = await serve({ environment: started.byPartition, isMigrated: true })
    try {
      await expectApart(divided)
    } finally {
      await divided.close()
    }
  })

  test("health names the index", async () => {
    const report = (await get("/health?detail=1")).body
    expect(report).toMatchObject({ status: "ok", components: { index: { status: "ok", name: engine } } })
  })
})

describe("an index that isn't divided", () => {
  let started: StartedEngine
  let settings: Settings
  beforeAll(async () => {
    started = await (ENGINES["qdrant"] as EngineUnderTest).start()
    for (const collection of ["children", "parents"] as const)
      await started.write(collection, records[collection], null)
    const { VECTORDB_TENANT_FIELD: _, VECTORDB_TENANCY: __, ...rest } = started.byField
    settings = rest
  })
  afterAll(() => started?.close())

  test("is one tenant's; others are refused by every way in", async () => {
    const served = await serve({ environment: settings, isMigrated: true })
    const source_account_id = "acme"
    try {
      expect((await served.post("/search", { query: "cod" })).status).toBe(200)
      expect((await served.post("/search", { query: "cod", source_account_id })).status).toBe(403)
      expect((await served.post("/answer", { question: "cod?", source_account_id })).status).toBe(403)
      const passage = await served.send("GET", `/documents/trade.pdf/chunks/${uuid(2)}?source_account_id=acme`)
      expect(passage.status).toBe(404)
      const retrieved = await callMcp(served, "retrieve", { query: "cod", source_account_id })
      expect(retrieved.isError).toBe(true)
      expect(JSON.stringify(retrieved)).not.toContain("Salted")
      expect((await served.send("GET", "/documents?source_account_id=acme")).status).toBe(200)
    } finally {
      await served.close()
    }
  })

  test("isn't opened where keys were given to other tenants", async () => {
    await openIndex(settings, { tenants: ["primary"] })
    const opening = openIndex(settings, { tenants: ["primary", "acme"] })
    await expect(opening).rejects.toThrow(/VECTORDB_TENANCY is single.*keys of 1 other tenants/)
  })

  test("of another model, or under another name, stops the start with both sides named", async () => {
    await expect(openIndex(settings, { dimensions: 64 })).rejects.toThrow(
      /self_rag_documents .*384 dimensions.* have 64/,
    )
    const none = openIndex({ ...settings, RETRIEVAL_COLLECTION: "nothing_here" })
    await expect(none).rejects.toThrow(/There is no Qdrant's collection nothing_here .*RETRIEVAL_COLLECTION/)
  })

  test("is shown by index-check: what it can do, three records, the mapping and a query", async () => {
    for (const [key, value] of Object.entries({ ...settings, CONCORDANCE_HOME: await testModelHome() }))
      vi.stubEnv(key, value)
    const { status, out, err } = await concordance("index-check", "--query", "shipwreck in fog")
    vi.unstubAllEnvs()
    expect(status, err).toBe(0)
    expect(out).toMatch(/Qdrant's collection self_rag_documents at .*: 7 records, 384 dimensions, compared by cosine/)
    expect(out).toMatch(/words {7}no search by words/)
    expect(out).toMatch(/parents {5}Qdrant's collection self_rag_parents/)
    expect(out).toMatch(/content {5}page_content/)
    expect(out).toMatch(/document {4}metadata.source/)
    expect(out).toContain("pages are counted from 0 there")
    expect(out.match(/^Record /gm)).toHaveLength(3)
    expect(out).toMatch(/3 hits by rrf\n {2}0\.0\d+ {2}\[\[wreck.pdf\/p004#/)
    expect(err).toMatch(/Note: words: /)
  })
})

test("an engine's settings that are missing, or don't go together, are told by their names", async () => {
  const opening = async (more: Settings) => openEngine(parseConfig({ VECTORDB_PROVIDER: "pinecone", ...more }))
  await expect(opening({})).rejects.toThrow(/PINECONE_API_KEY must be set.*PINECONE_INDEX_NAME must be set/s)
  const divided = { PINECONE_API_KEY: "k", PINECONE_INDEX_NAME: "i", VECTORDB_TENANCY: "partition" }
  await expect(opening(divided)).rejects.toThrow("PINECONE_PARENT_INDEX_NAME")
  const { open } = await opening({ ...divided, PINECONE_PARENT_INDEX_NAME: "p" })
  expect([open("self_rag_documents").name, open("self_rag_parents").name]).toEqual([
    "Pinecone's index i, namespace self_rag_documents",
    "Pinecone's index p, namespace self_rag_parents",
  ])
})

/** What one tenant asks by every way in, and what the other's records would show. */
async function expectApart(served: Served): Promise<void> {
  const sees = async (source_account_id: string) => {
    const asked = [
      await served.post("/search", {
        query: "schooner smuggler wreck",
        top_k: 50,
        expand_parents: true,
        source_account_id,
      }),
      await served.post("/search", { query: "smuggler", strategy: "lexical", source_account_id }),
      await served.post("/answer", {
        question: "What was the smuggler's main cargo until 1861?",
        source_account_id,
      }),
      await served.send("GET", `/documents/secret.pdf/chunks/${uuid(6)}?source_account_id=${source_account_id}`),
      await served.send("GET", `/documents/secret.pdf/chunks/${uuid(101)}?source_account_id=${source_account_id}`),
    ]
    const texts = await Promise.all(asked.map((response) => response.text()))
    for (const name of ["retrieve", "hybrid_search", "rag_answer"] as const) {
      const given =
        name === "rag_answer"
          ? { question: "What was the smuggler's main cargo until 1861?" }
          : { query: "smuggler's brandy" }
      texts.push(JSON.stringify(await callMcp(served, name, { ...given, source_account_id })))
    }
    return texts
  }
  const theirs = await sees("acme")
  const secret = /Brandy of a wrecked schooner|whole confession/
  expect(theirs.map((text) => secret.test(text))).toEqual(theirs.map(() => true))
  expect(theirs.join()).not.toMatch(/keeper trimmed|ran aground|Salted cod|report of the wreck/)
  for (const tenant of ["primary", "nobody"]) expect((await sees(tenant)).join()).not.toMatch(secret)
}

/** What a start opens, without the rest of it. */
async function openIndex(environment: Settings, { tenants = [] as string[], dimensions = 384 } = {}) {
  const config = parseConfig(environment)
  const searched = await openSearchedIndex(config, null as never, createWordEmbedder({ dimensions }), {
    tenants: async () => tenants,
  })
  await searched.close()
}

async function callMcp(served: Served, name: string, given: object): Promise<Answered> {
  return askMcp(served, "tools/call", { name, arguments: given })
}

async function askMcp(served: Served, method: string, params: object): Promise<Answered> {
  const response = await served.post(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method, params },
    { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
  )
  const [, data = "{}"] = /data: (\{.*)/.exec(await response.text()) ?? []
  return JSON.parse(data).result
}
