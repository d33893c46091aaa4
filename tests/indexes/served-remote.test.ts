import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parseConfig } from "../../lib/config.ts"
import { deadlineIn } from "../../lib/deadline.ts"
import { openEngine } from "../../lib/indexes/open-index.ts"
import { openInference } from "../../lib/inference/open-inference.ts"
import { testModelHome } from "../model-home.ts"
import { type Served, serve } from "../served.ts"
import { callIn, uuid } from "./records.ts"
import { startPineconeStub } from "./stub-pinecone.ts"
import { startQdrantStub } from "./stub-qdrant.ts"
import { startWeaviateStub } from "./stub-weaviate.ts"

/** As LangChain's loaders describe them: no ids of documents, pages from 0. */
const PASSAGES = [
  ["The keeper trimmed the lamp every four hours.", "manual.pdf", 0],
  ["A schooner ran aground on the reef in thick fog; the pilot boat took off her crew.", "wreck.pdf", 3],
  ["Salted cod was the island's main export until 1930.", "trade.pdf", 1],
] as const

interface Started {
  readonly environment: Record<string, string>
  close(): Promise<void>
}

const ENGINES: Readonly<Record<string, () => Promise<Started>>> = {
  async qdrant() {
    const { url, close } = await startQdrantStub()
    return { environment: { QDRANT_URL: url, QDRANT_API_KEY: "right-key", QDRANT_SPARSE: "true" }, close }
  },
  async pinecone() {
    const dense = { dimension: 384, metric: "cosine" } as const
    const { controllerUrl, close } = await startPineconeStub({
      docs: dense,
      words: { dimension: null, metric: "dotproduct" },
    })
    return {
      environment: {
        PINECONE_CONTROLLER_HOST: controllerUrl,
        PINECONE_API_KEY: "right-key",
        PINECONE_INDEX_NAME: "docs",
        PINECONE_SPARSE_INDEX_NAME: "words",
      },
      close,
    }
  },
  async weaviate() {
    const { url, close } = await startWeaviateStub()
    return { environment: { WEAVIATE_URL: url, WEAVIATE_API_KEY: "right-key" }, close }
  },
}

test("an engine's settings that are missing, or don't go together, are told by their names", async () => {
  const opening = async (more: Record<string, string>) =>
    openEngine(parseConfig({ VECTORDB_PROVIDER: "pinecone", ...more }))
  await expect(opening({})).rejects.toThrow(/PINECONE_API_KEY must be set.*PINECONE_INDEX_NAME must be set/s)
  const key = { PINECONE_API_KEY: "k" }
  const divided = { ...key, PINECONE_INDEX_NAME: "i", VECTORDB_TENANCY: "partition" }
  await expect(opening(divided)).rejects.toThrow("PINECONE_PARENT_INDEX_NAME")
  const { open } = await opening({ ...divided, PINECONE_PARENT_INDEX_NAME: "p" })
  expect([open("self_rag_documents").name, open("self_rag_parents").name]).toEqual([
    "Pinecone's index i, namespace self_rag_documents",
    "Pinecone's index p, namespace self_rag_parents",
  ])
})

describe.each(Object.entries(ENGINES))("the product over %s", (engine, start) => {
  let started: Started
  let served: Served

  beforeAll(async () => {
    started = await start()
    const environment = { VECTORDB_PROVIDER: engine, ...started.environment }
    const inference = await openInference({ ...parseConfig({}), home: await testModelHome() })
    const texts = PASSAGES.map(([text]) => text)
    const { vectors = [] } = (await inference.embedder?.embed(texts, "passage")) ?? {}
    const { open } = await openEngine(parseConfig(environment))
    const [children, parents] = [open("self_rag_documents"), open("self_rag_parents")]
    for (const index of [children, parents]) await index.ensureCollection?.(384, callIn())
    const payload = { source: "wreck.pdf", page: 3 }
    await parents.upsert?.(
      [{ id: uuid(9), text: "The whole report of the wreck.", payload, vector: vectors[1] ?? [] }],
      callIn(),
    )
    const records = PASSAGES.map(([text, source, page], i) => ({
      id: uuid(i),
      text,
      payload: { source, page, year: 1900 + i, ...(i === 1 && { parent_id: uuid(9) }) },
      vector: vectors[i] ?? [],
    }))
    await children.upsert?.(records, callIn())
    await inference.close()
    served = await serve({ environment })
  })
  afterAll(async () => {
    await served?.close()
    await started?.close()
  })

  test("/search finds by meaning and by words, filtered, with citations", async () => {
    const found = async (request: object) => {
      const response = await served.post("/search", request)
      expect(response.status).toBe(200)
      return (await response.json()) as { results: Record<string, unknown>[]; degraded?: string[] }
    }
    const { results, degraded } = await found({
      query: "Who rescued the sailors of the ship?",
      filter: { year: { gte: 1901 } },
    })
    expect(results[0]).toMatchObject({ id: "wreck.pdf", page: 4, citation: `[[wreck.pdf/p004#${uuid(1)}]]` })
    expect(results.map(({ id }) => id)).not.toContain("manual.pdf")
    expect(degraded).toBeUndefined()
    const words = await found({ query: "cod", strategy: "lexical" })
    expect(words.results.map(({ id }) => id)).toEqual(["trade.pdf"])
  })

  test("retrieval shows the passage's parent", async () => {
    const { response } = await served.runtime.retrieve("primary", { query: "shipwreck in fog" }, deadlineIn(30_000))
    expect(response.results[0]).toMatchObject({ id: "wreck.pdf", content: "The whole report of the wreck." })
  })

  test("another tenant finds nothing of it, and health names the index", async () => {
    expect((await served.post("/search", { query: "cod", source_account_id: "acme" })).status).toBe(403)
    const report = await (await served.send("GET", "/health?detail=1")).json()
    expect(report).toMatchObject({ status: "ok", components: { index: { status: "ok", name: engine } } })
  })
})
