import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { tenantOf } from "../../lib/indexes/weaviate/weaviate-class.ts"
import { createWeaviateIndex, type WeaviateOptions } from "../../lib/indexes/weaviate/weaviate-index.ts"
import { describeBehaviour, type IndexSubject } from "./behaviour.ts"
import { isPublished, openContracts, WHERE_SPECS_ARE } from "./contract.ts"
import { callIn, DIMENSIONS, manyRecords, record, uuid, vectorOf } from "./records.ts"
import { startSocketServer } from "./silent-server.ts"
import type { StubServer } from "./stub-server.ts"
import { startWeaviateStub } from "./stub-weaviate.ts"

const PUBLISHED = "weaviate/schema.json"
const HEADERS = { authorization: "Bearer right-key", "content-type": "application/json" }

async function openSubject(options: Partial<WeaviateOptions>): Promise<IndexSubject> {
  const stub = await startWeaviateStub()
  const silent = await startSocketServer()
  const at = (url: string, apiKey = "right-key", collection = "c01") =>
    createWeaviateIndex({ url, apiKey, collection, vector: undefined, isDivided: false, ...options })
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

describeBehaviour("weaviate", () => openSubject({}))
describeBehaviour("weaviate with tenants", () => openSubject({ isDivided: true }))

test.skipIf(!isPublished(PUBLISHED))(`the stub is held to the published contract too (${WHERE_SPECS_ARE})`, () => {
  expect(openContracts("weaviate", PUBLISHED)).toHaveLength(2)
})

describe("Weaviate", () => {
  let stub: StubServer
  beforeAll(async () => {
    stub = await startWeaviateStub()
  })
  afterAll(() => stub.close())

  const index = (collection: string, options: Partial<WeaviateOptions> = {}) =>
    createWeaviateIndex({
      url: stub.url,
      apiKey: "right-key",
      collection,
      vector: undefined,
      isDivided: false,
      ...options,
    })
  /** A request past the adapter, as other programs write. */
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${stub.url}/v1${path}`, {
      method,
      headers: HEADERS,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) }
  }

  test("somebody's class is read as it is: named vectors, nested objects, texts of words", async () => {
    const vectorConfig = {
      title: { vectorizer: { none: {} }, vectorIndexType: "hnsw", vectorIndexConfig: { distance: "dot" } },
      body: { vectorizer: { none: {} }, vectorIndexType: "hnsw", vectorIndexConfig: { distance: "l2-squared" } },
    }
    const properties = [
      { name: "text", dataType: ["text"] },
      { name: "year", dataType: ["int"] },
      { name: "author", dataType: ["object"], nestedProperties: [{ name: "name", dataType: ["text"] }] },
    ]
    expect((await send("POST", "/schema", { class: "Foreign", vectorConfig, properties })).status).toBe(200)
    const vector = Array.from(await vectorOf("salt cod"))
    const object = (n: number, text: string) => ({
      class: "Foreign",
      id: uuid(n),
      properties: { text, year: 1990 + n, author: { name: "Ada" } },
      vectors: { title: vector, body: vector },
    })
    await send("POST", "/batch/objects", {
      objects: [object(1, "salt cod"), object(2, "Cod, salt!"), object(3, "salt cod stew")],
    })
    await expect(index("Foreign").describe(callIn())).rejects.toThrow(/title, body.*WEAVIATE_VECTOR/)
    for (const [name, metric] of [
      ["title", "dot"],
      ["body", "euclidean"],
    ] as const) {
      const foreign = index("foreign", { vector: name })
      expect(await foreign.describe(callIn())).toEqual({ dimensions: DIMENSIONS, metric })
      const filter = [{ field: "text", path: ["text"], operator: "eq" as const, value: "salt cod" }]
      const [found, ...others] = await foreign.searchDense({ vector, limit: 1, filter, withVectors: true }, callIn())
      expect(others).toEqual([])
      expect(found).toMatchObject({
        id: uuid(1),
        text: null,
        payload: { text: "salt cod", year: 1991, author: { name: "Ada" } },
      })
      expect(found?.score).toBeCloseTo(1)
      expect(found?.vector).toHaveLength(DIMENSIONS)
    }
    const foreign = index("foreign", { vector: "body" })
    const between = [{ field: "year", path: ["year"], operator: "gt" as const, value: 1991.5 }]
    const query = { text: "cod", limit: 10, filter: between, withVectors: false }
    expect((await foreign.searchLexical?.(query, callIn()))?.map(({ id }) => id).toSorted()).toEqual([uuid(2), uuid(3)])
  })

  test("what words let through a filter is left out, however much of it comes first", async () => {
    const loose = index("loose")
    await loose.ensureCollection?.(DIMENSIONS, callIn())
    const other = await Promise.all(Array.from({ length: 60 }, (_, i) => record(i, "cod", { title: "Salt Cod" })))
    await loose.upsert?.([...other, await record(900, "far from it", { title: "salt cod" })], callIn())
    const filter = [{ field: "title", path: ["title"], operator: "eq" as const, value: "salt cod" }]
    const found = await loose.searchDense(
      { vector: await vectorOf("cod"), limit: 5, filter, withVectors: false },
      callIn(),
    )
    expect(found.map(({ id }) => id)).toEqual([uuid(900)])
  })

  test("its own fusion ranks what both lists have first", async () => {
    const both = index("both")
    await both.ensureCollection?.(DIMENSIONS, callIn())
    await both.upsert?.([...(await manyRecords(50)), await record(900, "the binnacle")], callIn())
    const query = { vector: await vectorOf("binnacle"), text: "binnacle", limit: 5, filter: [], withVectors: true }
    const [found] = (await both.searchHybrid?.(query, callIn())) ?? []
    expect(found?.id).toBe(uuid(900))
    expect(found?.score).toBeCloseTo(1 / 60)
    expect(found?.vector).toHaveLength(DIMENSIONS)
  })

  test("a class with tenants and settings without are told apart, and so the other way round", async () => {
    await index("plain").ensureCollection?.(DIMENSIONS, callIn())
    await index("divided", { isDivided: true }).ensureCollection?.(DIMENSIONS, callIn())
    await expect(index("plain", { isDivided: true }).describe(callIn())).rejects.toThrow(
      /has no tenants.*VECTORDB_TENANCY/,
    )
    await expect(index("divided").describe(callIn())).rejects.toThrow(/divided into tenants.*VECTORDB_TENANCY/)
  })

  test("a tenant that isn't there finds nothing, and no two share one", async () => {
    const divided = index("tenants", { isDivided: true })
    await divided.ensureCollection?.(DIMENSIONS, callIn(60_000, "a"))
    await divided.upsert?.([await record(1, "one")], callIn(60_000, "a"))
    const query = { vector: await vectorOf("one"), limit: 5, filter: [], withVectors: false }
    expect(await divided.searchDense(query, callIn(60_000, "a"))).toHaveLength(1)
    expect(await divided.searchDense(query, callIn(60_000, "b"))).toEqual([])
    expect(await divided.describe(callIn(60_000, "b"))).toBeNull()
    const names = ["a", "é", "a b", tenantOf("é"), tenantOf("a b"), "x".repeat(65)]
    expect(new Set(names.map(tenantOf)).size).toBe(names.length)
    for (const name of names) expect(tenantOf(name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  })

  test("a text can't leave its place in a query", async () => {
    const quoted = index("quoted")
    await quoted.ensureCollection?.(DIMENSIONS, callIn())
    const text = 'x"}) { concordance_text } } } # \\" \u2028 \n'
    await quoted.upsert?.([await record(1, text, { note: text })], callIn())
    const found = await quoted.searchLexical?.(
      { text, limit: 5, filter: [{ field: "note", path: ["note"], operator: "eq", value: text }], withVectors: false },
      callIn(),
    )
    expect(found?.map((one) => one.text)).toEqual([text])
  })

  test("a name that Weaviate doesn't take is told at once", () => {
    expect(() => index("my-docs")).toThrow(/RETRIEVAL_COLLECTION/)
  })

  test("the stub refuses what the contract doesn't allow", async () => {
    const before = stub.violations.length
    await index("wrong").ensureCollection?.(DIMENSIONS, callIn())
    expect((await send("POST", "/graphql", { text: "{}" })).status).toBe(400)
    expect((await send("POST", "/schema", { class: "A", distance: "cosine" })).status).toBe(400)
    expect(
      (await send("POST", "/batch/objects", { objects: [{ class: "Wrong", id: "no-uuid", properties: {} }] })).status,
    ).toBe(400)
    expect(
      (await send("DELETE", "/batch/objects", { match: { class: "Wrong", where: { operator: "Equals" } } })).status,
    ).toBe(400)
    expect((await send("GET", "/schema/Wrong/objects")).status).toBe(400)
    expect(stub.violations).toHaveLength(before + 5)
    // What is wrong in a query GraphQL says in its answer.
    const wrong = [
      "{ Get { Wrong(limit: 5) { _additional { id } }",
      "{ Get { Wrong(limit: 5, first: 5) { _additional { id } } } }",
      "{ Get { Wrong(limit: 5) { nothing _additional { id } } } }",
      '{ Get { Wrong(limit: 5, where: {operator: "Equal", path: ["title"], valueText: "a"}) { title } } }',
      '{ Get { Wrong(limit: 5, where: {operator: Equals, path: ["title"], valueText: "a"}) { title } } }',
      '{ Get { Wrong(limit: 5, where: {operator: Equal, path: ["title"], valueInt: 1}) { title } } }',
      '{ Get { Wrong(limit: 5, where: {operator: Equal, path: ["title"], valueText: 1}) { title } } }',
    ]
    for (const query of wrong) {
      const { body } = await send("POST", "/graphql", { query })
      expect(body.errors, query).toHaveLength(1)
    }
    const right = '{ Get { Wrong(limit: 5, where: {operator: Equal, path: ["title"], valueText: "a"}) { title } } }'
    expect((await send("POST", "/graphql", { query: right })).body).toEqual({ data: { Get: { Wrong: [] } } })
  })
})
