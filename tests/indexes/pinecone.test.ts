import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createPineconeIndex, type PineconeOptions } from "../../lib/indexes/pinecone/pinecone-index.ts"
import { describeBehaviour, type IndexSubject } from "./behaviour.ts"
import { isPublished, openContracts, WHERE_SPECS_ARE } from "./contract.ts"
import { callIn, DIMENSIONS, manyRecords, record, uuid, vectorOf } from "./records.ts"
import { startSocketServer } from "./silent-server.ts"
import { type PineconeStub, startPineconeStub } from "./stub-pinecone.ts"

const PUBLISHED = "pinecone/db_data_2026-04.oas.yaml"
const INDEXES = {
  dense: { dimension: DIMENSIONS, metric: "cosine" },
  sparse: { dimension: null, metric: "dotproduct" },
  euclid: { dimension: DIMENSIONS, metric: "euclidean" },
} as const

async function openSubject(options: Partial<PineconeOptions>): Promise<IndexSubject> {
  const stub = await startPineconeStub(INDEXES)
  const silent = await startSocketServer()
  const at = (controllerUrl: string, apiKey = "right-key", collection = "c01") =>
    createPineconeIndex({
      controllerUrl,
      apiKey,
      collection,
      index: "dense",
      host: undefined,
      sparseIndex: null,
      ...options,
    })
  return {
    open: async (collection) => at(`${stub.controllerUrl}/`, "right-key", collection),
    away: () => at("http://127.0.0.1:1"),
    refused: () => at(stub.controllerUrl, "wrong-key"),
    silent: () => at(`http://127.0.0.1:${silent.port}`),
    async close() {
      expect(stub.violations()).toEqual([])
      await silent.close()
      await stub.close()
    },
  }
}

describeBehaviour("pinecone", () => openSubject({}))
describeBehaviour("pinecone with an index of sparse vectors", () => openSubject({ sparseIndex: "sparse" }))

test.skipIf(!isPublished(PUBLISHED))(`the stub is held to the published contract too (${WHERE_SPECS_ARE})`, () => {
  expect(openContracts("pinecone", PUBLISHED)).toHaveLength(2)
})

describe("Pinecone", () => {
  let stub: PineconeStub
  beforeAll(async () => {
    stub = await startPineconeStub(INDEXES)
  })
  afterAll(() => stub.close())

  const index = (collection: string, options: Partial<PineconeOptions> = {}) =>
    createPineconeIndex({
      controllerUrl: stub.controllerUrl,
      apiKey: "right-key",
      collection,
      index: "dense",
      host: undefined,
      sparseIndex: null,
      ...options,
    })

  test("an index that isn't there is told at once, and a host spares the look-up", async () => {
    await expect(index("a", { index: "none" }).health(AbortSignal.timeout(5_000))).rejects.toMatchObject({
      code: "invalid_configuration",
      message: expect.stringContaining("PINECONE_INDEX_NAME"),
    })
    const host = stub.servers.get("dense")?.url.replace("http://", "")
    const known = index("a", { controllerUrl: "http://127.0.0.1:1", host })
    await known.health(AbortSignal.timeout(5_000))
  })

  test("an index of another length is refused before anything is written", async () => {
    await expect(index("a").ensureCollection?.(384, callIn())).rejects.toThrow(/64 dimensions.*have 384/)
  })

  test("squared distances become similarities, nearest first", async () => {
    const records = await manyRecords(20)
    const [euclid, cosine] = [index("e", { index: "euclid" }), index("e")]
    for (const one of [euclid, cosine]) await one.upsert?.(records, callIn())
    const query = { vector: await vectorOf("harbour pilot"), limit: 20, filter: [], withVectors: false }
    const [a, b] = [await euclid.searchDense(query, callIn()), await cosine.searchDense(query, callIn())]
    expect(a).toHaveLength(20)
    for (const [i, { score }] of a.entries()) expect(score).toBeCloseTo(b[i]?.score ?? 9, 4)
  })

  test("two tenants never share a namespace, whatever their names", async () => {
    const names = ["tenant é/1", encodeURIComponent("tenant é/1"), "a b", "a%20b", "plain", "é"]
    for (const [i, name] of names.entries()) await index("x").upsert?.([await record(i, name)], callIn(60_000, name))
    for (const [i, name] of names.entries()) {
      const found = await index("x").sample(10, callIn(60_000, name))
      expect(found.map(({ id }) => id)).toEqual([uuid(i)])
    }
  })

  test("a record whose words are gone is found by them no more", async () => {
    const words = index("w", { sparseIndex: "sparse" })
    await words.upsert?.([await record(1, "binnacle"), await record(2, "the binnacle compass")], callIn())
    await words.upsert?.([await record(1, "…")], callIn())
    const query = { text: "binnacle", limit: 5, filter: [], withVectors: true }
    const found = await words.searchLexical?.(query, callIn())
    expect(found?.map(({ id }) => id)).toEqual([uuid(2)])
    expect(found?.[0]?.vector).toHaveLength(DIMENSIONS)
  })

  test("records as large as Pinecone takes are written in requests that it takes", async () => {
    const large = index("large")
    const records = await Promise.all(Array.from({ length: 80 }, (_, i) => record(i, "語".repeat(12_000))))
    await large.upsert?.(records, callIn())
    expect(await large.count(callIn())).toBe(80)
  })

  test("the stub refuses what the contract doesn't allow", async () => {
    const server = stub.servers.get("dense")
    const before = server?.violations.length ?? 0
    const headers = { "api-key": "right-key", "content-type": "application/json", "x-pinecone-api-version": "2026-04" }
    const vector = Array.from({ length: DIMENSIONS }, () => 0.1)
    const send = async (path: string, body: unknown, sent: Record<string, string> = headers) =>
      (await fetch(`${server?.url}${path}`, { method: "POST", headers: sent, body: JSON.stringify(body) })).status
    const wrong = [
      { vector },
      { vector, topK: 0 },
      { vector, topK: 5, top_k: 5 },
      { vector, topK: 5, includeMetadata: "yes" },
      { vector, topK: 5, filter: "a" },
      { vector, topK: 5, sparseVector: { indices: [1] } },
    ]
    for (const body of wrong) expect(await send("/query", body), JSON.stringify(body).slice(-60)).toBe(400)
    const { "x-pinecone-api-version": _, ...versionless } = headers
    expect(await send("/query", { vector, topK: 5 }, versionless)).toBe(400)
    expect(await send("/vectors/upsert", { vectors: [{ values: vector, metadata: {} }] })).toBe(400)
    expect(await send("/vectors/remove", {})).toBe(400)
    expect(server?.violations).toHaveLength(before + wrong.length + 3)
    // What only the engine can know it refuses too.
    expect(await send("/query", { vector: [1], topK: 5 })).toBe(400)
    expect(await send("/query", { vector, topK: 5, namespace: "e", filter: { a: { $gt: "x" } } })).toBe(400)
  })
})
