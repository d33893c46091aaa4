import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { QdrantOptions } from "../../lib/indexes/qdrant/qdrant-access.ts"
import { createQdrantIndex } from "../../lib/indexes/qdrant/qdrant-index.ts"
import { describeBehaviour, type IndexSubject } from "./behaviour.ts"
import { isPublished, openContracts, WHERE_SPECS_ARE } from "./contract.ts"
import { callIn, DIMENSIONS, manyRecords, record, uuid, vectorOf } from "./records.ts"
import { startSocketServer } from "./silent-server.ts"
import { startQdrantStub } from "./stub-qdrant.ts"
import type { StubServer } from "./stub-server.ts"

const PUBLISHED = "qdrant/openapi.json"
const HEADERS = { "api-key": "right-key", "content-type": "application/json" }

async function openSubject(options: Partial<QdrantOptions>): Promise<IndexSubject> {
  const stub = await startQdrantStub()
  const silent = await startSocketServer()
  const at = (url: string, apiKey = "right-key", collection = "c01") =>
    createQdrantIndex({ url, apiKey, collection, vector: undefined, hasWords: false, ...options })
  return {
    open: async (collection) => at(`${stub.url}/`, "right-key", collection),
    away: () => at("http://127.0.0.1:1"),
    refused: () => at(stub.url, "wrong-key"),
    silent: () => at(`http://127.0.0.1:${silent.port}`),
    async close() {
      expect(stub.violations).toEqual([])
      await silent.close()
      await stub.close()
    },
  }
}

describeBehaviour("qdrant", () => openSubject({}))
describeBehaviour("qdrant with sparse vectors", () => openSubject({ hasWords: true }))

test.skipIf(!isPublished(PUBLISHED))(`the stub is held to the published contract too (${WHERE_SPECS_ARE})`, () => {
  expect(openContracts("qdrant", PUBLISHED)).toHaveLength(2)
})

describe("Qdrant", () => {
  let stub: StubServer
  beforeAll(async () => {
    stub = await startQdrantStub()
  })
  afterAll(() => stub.close())

  const index = (collection: string, options: Partial<QdrantOptions> = {}) =>
    createQdrantIndex({
      url: stub.url,
      apiKey: "right-key",
      collection,
      vector: undefined,
      hasWords: false,
      ...options,
    })
  /** A request past the adapter, as other programs write. */
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${stub.url}${path}`, {
      method,
      headers: HEADERS,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return response.status
  }

  test("a named vector is found, and one of several must be named", async () => {
    const size = { size: DIMENSIONS, distance: "Dot" }
    await send("PUT", "/collections/named", { vectors: { title: size, body: size } })
    const vector = Array.from(await vectorOf("salt cod"))
    await send("PUT", "/collections/named/points?wait=true", {
      points: [
        { id: 42, vector: { body: vector, title: vector.map((value) => -value) }, payload: { text: "salt cod" } },
      ],
    })
    await expect(index("named").describe(callIn())).rejects.toThrow(/title, body.*QDRANT_VECTOR/)
    await expect(index("named", { vector: "else" }).describe(callIn())).rejects.toThrow(/QDRANT_VECTOR is else/)
    const body = index("named", { vector: "body" })
    expect(await body.describe(callIn())).toEqual({ dimensions: DIMENSIONS, metric: "dot" })
    const [found] = await body.searchDense({ vector, limit: 1, filter: [], withVectors: true }, callIn())
    expect(found).toMatchObject({ id: "42", text: null, payload: { text: "salt cod" } })
    expect(found?.score).toBeCloseTo(1)
    expect(found?.vector).toHaveLength(DIMENSIONS)
    expect((await body.fetch(["42", "043", "-1", "x"], callIn())).map(({ id }) => id)).toEqual(["42"])
  })

  test("Euclidean distances become similarities, nearest first", async () => {
    await send("PUT", "/collections/euclid", { vectors: { size: DIMENSIONS, distance: "Euclid" } })
    const euclid = index("euclid")
    await euclid.upsert?.(await manyRecords(20), callIn())
    const vector = await vectorOf("harbour pilot")
    const cosine = index("cosine")
    await cosine.ensureCollection?.(DIMENSIONS, callIn())
    await cosine.upsert?.(await manyRecords(20), callIn())
    const query = { vector, limit: 20, filter: [], withVectors: false }
    const [a, b] = [await euclid.searchDense(query, callIn()), await cosine.searchDense(query, callIn())]
    for (const [i, { score }] of a.entries()) expect(score).toBeCloseTo(b[i]?.score ?? 9, 4)
  })

  test("its own fusion finds what words or meaning found, with k = 2", async () => {
    const words = index("hybrid", { hasWords: true })
    await words.ensureCollection?.(DIMENSIONS, callIn())
    await words.upsert?.([...(await manyRecords(50)), await record(900, "the binnacle")], callIn())
    const found = await words.searchHybrid?.(
      { vector: await vectorOf("harbour"), text: "binnacle", limit: 51, filter: [], withVectors: false },
      callIn(),
    )
    expect(found?.[0]?.id === uuid(900) || found?.[1]?.id === uuid(900)).toBe(true)
    expect(found?.find(({ id }) => id === uuid(900))?.score).toBeGreaterThanOrEqual(0.5)
    expect(found).toHaveLength(51)
  })

  test("sparse vectors that Concordance didn't write are not asked", async () => {
    await send("PUT", "/collections/splade", {
      vectors: { size: DIMENSIONS, distance: "Cosine" },
      sparse_vectors: { splade: { modifier: "none" } },
    })
    const words = index("splade", { hasWords: true })
    const lexical = words.searchLexical?.({ text: "cod", limit: 5, filter: [], withVectors: false }, callIn())
    await expect(lexical).rejects.toMatchObject({
      code: "invalid_configuration",
      message: expect.stringContaining("QDRANT_SPARSE"),
    })
  })

  test("a list of objects on the way to a field is looked into", async () => {
    const nested = index("nested")
    await nested.ensureCollection?.(DIMENSIONS, callIn())
    await nested.upsert?.(
      [
        await record(1, "one", { authors: [{ name: "Ada" }, { name: "Bob" }] }),
        await record(2, "two", { authors: { name: "Ada" } }),
      ],
      callIn(),
    )
    const filter = [{ field: "authors.name", path: ["authors", "name"], operator: "eq" as const, value: "Ada" }]
    const found = await nested.searchDense(
      { vector: await vectorOf("one"), limit: 5, filter, withVectors: false },
      callIn(),
    )
    expect(found).toHaveLength(2)
  })

  test("the stub refuses what the contract doesn't allow", async () => {
    const violations = stub.violations.length
    await index("wrong").ensureCollection?.(DIMENSIONS, callIn())
    const vector = Array.from({ length: DIMENSIONS }, () => 0.1)
    const wrong = [
      { query: vector, limit: 0 },
      { query: vector, limit: 5, with_vectors: true },
      { query: vector, limit: 5, filter: { all: [] } },
      { query: vector, limit: 5, filter: { must: [{ key: "a", match: { value: 1.5 } }] } },
      { query: vector, limit: 5, filter: { must: [{ key: "a", range: { above: 1 } }] } },
      { query: vector, limit: 5, filter: { must: [{ has_id: ["no-uuid"] }] } },
      { query: { fusion: "sum" }, prefetch: [], limit: 5 },
    ]
    for (const body of wrong)
      expect(await send("POST", "/collections/wrong/points/query", body), JSON.stringify(body).slice(-80)).toBe(400)
    expect(await send("PUT", "/collections/wrong/points?now=true", { points: [] })).toBe(400)
    expect(await send("POST", "/collections/wrong/points/find", {})).toBe(400)
    expect(stub.violations).toHaveLength(violations + wrong.length + 2)
    // What only the engine can know it refuses too.
    expect(await send("POST", "/collections/wrong/points/query", { query: [1], limit: 5 })).toBe(400)
    expect(await send("POST", "/collections/wrong/points/query", { query: vector, using: "x", limit: 5 })).toBe(400)
  })
})
