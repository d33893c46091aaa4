import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { parseConfig } from "../../lib/config.ts"
import { deadlineIn } from "../../lib/deadline.ts"
import { createChromaIndex } from "../../lib/indexes/chroma/chroma-index.ts"
import type { StartedChroma } from "../../lib/indexes/chroma/start-chroma.ts"
import { openInference } from "../../lib/inference/open-inference.ts"
import { openSearchedIndex } from "../../lib/runtime/open-searched-index.ts"
import { testModelHome } from "../model-home.ts"
import { concordance } from "../run-concordance.ts"
import { type Served, serve } from "../served.ts"
import { hasChroma, startTestChroma } from "./chroma-server.ts"
import { callIn, record, uuid } from "./records.ts"

test("an undivided index is not opened where keys were given to other tenants", async () => {
  const config = parseConfig({ VECTORDB_PROVIDER: "chroma", CHROMA_URL: "http://127.0.0.1:1" })
  const opening = openSearchedIndex(config, null as never, null, { tenants: async () => ["primary", "acme"] })
  await expect(opening).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining("VECTORDB_TENANCY"),
  })
  const alone = openSearchedIndex(config, null as never, null, { tenants: async () => ["primary"] })
  await expect(alone).rejects.toMatchObject({ code: "index_unavailable" })
})

test("an engine without partitions can't be divided by them", async () => {
  const config = parseConfig({
    VECTORDB_PROVIDER: "pgvector",
    VECTORDB_TENANCY: "partition",
    PGVECTOR_URL: "postgres://u@127.0.0.1:1/d",
  })
  const opening = openSearchedIndex(config, null as never, null, { tenants: async () => [] })
  await expect(opening).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining("VECTORDB_TENANT_FIELD"),
  })
})

/** As LangChain writes them: no ids of documents, pages from 0. */
const PASSAGES = [
  ["The keeper trimmed the lamp every four hours.", "manual.pdf", 0],
  ["A schooner ran aground on the reef in thick fog; the pilot boat took off her crew.", "wreck.pdf", 3],
  ["Salted cod was the island's main export until 1930.", "trade.pdf", 1],
] as const

describe.skipIf(!hasChroma)("the product over somebody's Chroma (npm run chroma:install)", () => {
  let chroma: StartedChroma
  let served: Served
  const environment = (more: Record<string, string> = {}) => ({
    VECTORDB_PROVIDER: "chroma",
    CHROMA_URL: chroma.url,
    ...more,
  })

  beforeAll(async () => {
    chroma = await startTestChroma()
    const inference = await openInference({ ...parseConfig({}), home: await testModelHome() })
    const { vectors = [] } =
      (await inference.embedder?.embed(
        PASSAGES.map(([text]) => text),
        "passage",
      )) ?? {}
    const at = (collection: string) => createChromaIndex({ url: chroma.url, apiKey: undefined, collection })
    const [children, parents] = [at("self_rag_documents"), at("self_rag_parents")]
    for (const index of [children, parents]) await index.ensureCollection?.(384, callIn())
    const parent = {
      id: uuid(9),
      text: "The whole report of the wreck.",
      payload: { source: "wreck.pdf", page: 3 },
      vector: vectors[1] ?? [],
    }
    await parents.upsert?.([parent], callIn())
    const records = PASSAGES.map(([text, source, page], i) => ({
      id: uuid(i),
      text,
      payload: { source, page, year: 1900 + i, ...(i === 1 && { parent_id: uuid(9) }) },
      vector: vectors[i] ?? [],
    }))
    await children.upsert?.(records, callIn())
    const other = at("other_model")
    await other.ensureCollection?.(64, callIn())
    await other.upsert?.([await record(1, "text")], callIn())
    await inference.close()
    served = await serve({ environment: environment() })
  })
  afterAll(async () => {
    await served?.close()
    await chroma?.stop()
  })

  test("/search finds by meaning and by the substitute for words, and says so", async () => {
    const response = await served.post("/search", {
      query: "Who rescued the sailors of the ship?",
      filter: { year: { gte: 1901 } },
    })
    expect(response.status).toBe(200)
    const { results, strategy, degraded } = (await response.json()) as {
      results: Record<string, unknown>[]
      strategy: string
      degraded: string[]
    }
    expect(results[0]).toMatchObject({
      id: "wreck.pdf",
      title: "wreck.pdf",
      page: 4,
      citation: `[[wreck.pdf/p004#${uuid(1)}]]`,
    })
    expect(results.map(({ id }) => id)).not.toContain("manual.pdf")
    expect(strategy).toBe("rrf")
    expect(degraded).toEqual([
      expect.stringMatching(/^words: Chroma's collection self_rag_documents at .* has no search by words/),
    ])
  })

  test("retrieval shows the passage's parent", async () => {
    const { response } = await served.runtime.retrieve("primary", { query: "shipwreck in fog" }, deadlineIn(30_000))
    expect(response.results[0]).toMatchObject({ id: "wreck.pdf", content: "The whole report of the wreck." })
  })

  test("a filter that Chroma can't express is 400, and names operator and engine", async () => {
    const response = await served.post("/search", { query: "cod", filter: { year: { exists: true } } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: "invalid_request",
      detail: expect.stringMatching(/filter.year: exists .* chroma/),
    })
  })

  test("another tenant finds nothing of it, and what is stored here is still served", async () => {
    expect((await served.post("/search", { query: "cod", source_account_id: "acme" })).status).toBe(403)
    expect((await served.send("GET", "/documents")).status).toBe(200)
  })

  test("health names the index", async () => {
    const report = await (await served.send("GET", "/health?detail=1")).json()
    expect(report).toMatchObject({ status: "ok", components: { index: { status: "ok", name: "chroma" } } })
  })

  test("a collection of another model, or none, stops the start with both sides named", async () => {
    const other = serve({ environment: environment({ RETRIEVAL_COLLECTION: "other_model" }) })
    await expect(other).rejects.toThrow(/other_model .*64 dimensions.*all-MiniLM-L6-v2 have 384/)
    const none = serve({ environment: environment({ RETRIEVAL_COLLECTION: "nothing_here" }) })
    await expect(none).rejects.toThrow(/There is no Chroma's collection nothing_here .*RETRIEVAL_COLLECTION/)
  })

  test("index-check shows what the index can do, three records, the mapping and a query", async () => {
    for (const [key, value] of Object.entries(environment({ CONCORDANCE_HOME: await testModelHome() })))
      vi.stubEnv(key, value)
    const { status, out, err } = await concordance("index-check", "--query", "shipwreck in fog")
    vi.unstubAllEnvs()
    expect(status, err).toBe(0)
    expect(out).toMatch(/Chroma's collection self_rag_documents at .*: 3 records, 384 dimensions, compared by cosine/)
    expect(out).toMatch(/words {7}no search by words/)
    expect(out).toMatch(/parents {5}Chroma's collection self_rag_parents/)
    expect(out).toMatch(/content {5}\(the record's text\)/)
    expect(out).toMatch(/document {4}source/)
    expect(out).toContain("pages are counted from 0 there")
    expect(out.match(/^Record /gm)).toHaveLength(3)
    expect(out).toMatch(/3 hits by rrf\n {2}0\.0\d+ {2}\[\[wreck.pdf\/p004#/)
    expect(err).toMatch(/Note: words: /)
  })
})
