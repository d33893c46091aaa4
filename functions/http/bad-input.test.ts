import { describe, expect, test } from "vitest"
import { Problem } from "./problem.ts"
import { createTestApp } from "./test-app.ts"

const MEGABYTE = "x".repeat(1_000_000)
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

/** Each: what it is, the route, the body as it goes over the wire, the status, the field that the problem names. */
const REFUSED: [what: string, path: string, body: string, status: number, field: string][] = [
  ["neither query nor embedding", "/search", "{}", 400, "query"],
  ["an empty query", "/search", '{"query":""}', 400, "query"],
  ["a blank query", "/search", '{"query":" \\n "}', 400, "query"],
  ["a query of 1 MB", "/search", JSON.stringify({ query: MEGABYTE }), 400, "query"],
  ["a query that is a number", "/search", '{"query":1}', 400, "query"],
  ["a query with NUL", "/search", '{"query":"a\\u0000b"}', 400, "query"],
  ["a query with a lone surrogate", "/search", '{"query":"a\\ud800b"}', 400, "query"],
  ["top_k 0", "/search", '{"query":"a","top_k":0}', 400, "top_k"],
  ["top_k 10,000", "/search", '{"query":"a","top_k":10000}', 400, "top_k"],
  ["top_k 1.5", "/search", '{"query":"a","top_k":1.5}', 400, "top_k"],
  ["top_k as text", "/search", '{"query":"a","top_k":"10"}', 400, "top_k"],
  ["top_k beyond a double", "/search", '{"query":"a","top_k":1e999}', 400, "top_k"],
  ["NaN", "/search", '{"query":"a","alpha":NaN}', 400, "body"],
  ["Infinity", "/search", '{"embedding":[Infinity]}', 400, "body"],
  ["a vector beyond a double", "/search", '{"embedding":[1e999]}', 400, "embedding.0"],
  ["a vector of text", "/search", '{"embedding":["1"]}', 400, "embedding.0"],
  ["an empty vector", "/search", '{"embedding":[]}', 400, "embedding"],
  ["a vector of zeros", "/search", '{"embedding":[0,0,0]}', 400, "embedding"],
  ["a vector of 4,001 numbers", "/search", JSON.stringify({ embedding: Array(4_001).fill(1) }), 400, "embedding"],
  ["an unknown strategy", "/search", '{"query":"a","strategy":"magic"}', 400, "strategy"],
  ["alpha 2", "/search", '{"query":"a","alpha":2}', 400, "alpha"],
  ["a filter that is a list", "/search", '{"query":"a","filter":[1]}', 400, "filter"],
  ["an unknown operator", "/search", '{"query":"a","filter":{"year":{"near":1}}}', 400, "filter.year"],
  ["a filter's empty in", "/search", '{"query":"a","filter":{"year":{"in":[]}}}', 400, "filter.year.in"],
  ["a filter value with NUL", "/search", '{"query":"a","filter":{"a":"\\u0000"}}', 400, "filter.a"],
  ["a tenant with NUL", "/search", '{"query":"a","source_account_id":"\\u0000"}', 400, "source_account_id"],
  ["the tenant *", "/search", '{"query":"a","source_account_id":"*"}', 400, "source_account_id"],
  ["a language that is none", "/search", '{"query":"a","language":"English, please"}', 400, "language"],
  ["a body of text", "/search", '"query"', 400, "body"],
  ["a list for a body", "/search", "[]", 400, "body"],
  ["null for a body", "/search", "null", 400, "body"],
  ["no body", "/search", "", 400, "body"],
  ["malformed JSON", "/search", '{"query": "a"', 400, "body"],
  ["a body over the limit", "/search", JSON.stringify({ query: MEGABYTE + MEGABYTE }), 413, "body"],
  ["an index body over the limit", "/index", JSON.stringify({ id: "a", content: MEGABYTE.repeat(10) }), 413, "body"],
  ["no id", "/index", '{"content":"a"}', 400, "id"],
  ["an empty id", "/index", '{"id":"","content":"a"}', 400, "id"],
  ["an id of 1,025 bytes", "/index", JSON.stringify({ id: "é".repeat(513), content: "a" }), 400, "id"],
  ["an id with a lone surrogate", "/index", '{"id":"\\udc00","content":"a"}', 400, "id"],
  ["no content", "/index", '{"id":"a"}', 400, "content"],
  ["content with NUL", "/index", '{"id":"a","content":"\\u0000"}', 400, "content"],
  ["content that is a list", "/index", '{"id":"a","content":["a"]}', 400, "content"],
  ["content and chunks", "/index", '{"id":"a","content":"a","chunks":[{"content":"a"}]}', 400, "content"],
  ["an empty chunk", "/index", '{"id":"a","chunks":[{"content":"a"},{"content":""}]}', 400, "chunks.1.content"],
  ["a parent out of range", "/index", '{"id":"a","chunks":[{"content":"a","parent":3}]}', 400, "chunks"],
  ["a region off the page", "/index", region({ x1: 1.5 }), 400, "chunks.0.regions.0.x1"],
  ["metadata that is text", "/index", '{"id":"a","content":"a","metadata":"x"}', 400, "metadata"],
  ["metadata with NUL", "/index", '{"id":"a","content":"a","metadata":{"k":"\\u0000"}}', 400, "metadata"],
  ["metadata with a lone surrogate", "/index", '{"id":"a","content":"a","metadata":{"k":"\\ud800"}}', 400, "metadata"],
  ["nesting 100,000 deep", "/index", `{"id":"a","content":"a","metadata":${nested(100_000)}}`, 400, "body"],
  ["no inputs", "/embed", "{}", 400, "inputs"],
  ["no texts", "/rerank", '{"query":"a","texts":[]}', 400, "texts"],
  ["a text with NUL", "/rerank", '{"query":"a","texts":["a","\\u0000"]}', 400, "texts.1"],
  ["257 texts", "/rerank", JSON.stringify({ query: "a", texts: Array(257).fill("a") }), 400, "texts"],
  ["an unknown encoding", "/v1/embeddings", '{"input":"a","encoding_format":"hex"}', 400, "encoding_format"],
]

function region(change: object) {
  const regions = [{ page: 1, x0: 0, y0: 0, x1: 1, y1: 1, ...change }]
  return JSON.stringify({ id: "a", chunks: [{ content: "a", regions }] })
}

describe("bad input is a 4xx problem that names its field, and goes no further", () => {
  test.each(REFUSED)("%s (%s)", async (_, path, body, status, field) => {
    const { post, reached } = createTestApp()
    const response = await post(path, body)
    expect(response.status).toBe(status)
    expect(response.headers.get("content-type")).toBe("application/problem+json")
    const problem = Problem.parse(await response.json())
    expect(problem.code).toBe(status === 413 ? "payload_too_large" : "invalid_request")
    expect(problem.errors?.map((error) => error.field)).toContain(field)
    expect(problem.request_id).toBe(response.headers.get("x-request-id"))
    expect(JSON.stringify(problem).length).toBeLessThan(5_000)
    expect(reached).toEqual([])
  })

  test("a limit is named with its number", async () => {
    const { post } = createTestApp()
    const problem = Problem.parse(await (await post("/search", { query: "a", top_k: 10_000 })).json())
    expect(problem.errors).toEqual([{ field: "top_k", message: "must be at most 200" }])
    const long = Problem.parse(await (await post("/search", { query: "a".repeat(8_001) })).json())
    expect(long.errors).toEqual([{ field: "query", message: "must have at most 8000 characters" }])
  })

  test("an empty vector is one problem, not two", async () => {
    const { post } = createTestApp()
    const problem = Problem.parse(await (await post("/search", { embedding: [] })).json())
    expect(problem.errors).toEqual([{ field: "embedding", message: "must not be empty" }])
  })

  test("a value of no type that fits hears of those that would", async () => {
    const { post } = createTestApp()
    const filter = Problem.parse(await (await post("/search", { query: "a", filter: { year: [1] } })).json())
    expect(filter.errors).toEqual([
      { field: "filter.year", message: "must be a string, a number, a boolean, null or an object, not an array" },
    ])
    const inputs = Problem.parse(await (await post("/embed", { inputs: 5 })).json())
    expect(inputs.errors).toEqual([{ field: "inputs", message: "must be a string or an array, not a number" }])
    const none = Problem.parse(await (await post("/embed", {})).json())
    expect(none.errors).toEqual([{ field: "inputs", message: "is required" }])
  })

  test("of a filter's key that is refused 100 characters come back", async () => {
    const { post } = createTestApp()
    const operators = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}${"o".repeat(5_000)}`, 1]))
    for (const filter of [{ ["k".repeat(5_000)]: 1 }, { ["k.".repeat(99)]: { near: 1 } }, { year: operators }]) {
      const text = await (await post("/search", { query: "a", filter })).text()
      const [error] = Problem.parse(JSON.parse(text)).errors ?? []
      expect(error?.field.length).toBeLessThanOrEqual(100)
      expect(text.length).toBeLessThan(2_000)
    }
  })

  test("a chunked body over the limit is refused while it comes", async () => {
    const { send } = createTestApp()
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (stream) => {
        sent += 100_000
        stream.enqueue(new Uint8Array(100_000).fill(0x20))
      },
    })
    const response = await send("POST", "/search", body)
    expect(response.status).toBe(413)
    expect(sent).toBeLessThan(3_000_000)
  })

  test("bytes that are not UTF-8 are refused, not replaced", async () => {
    const { send } = createTestApp()
    const response = await send("POST", "/search", Buffer.from('{"query":"caf\xe9"}', "latin1"))
    expect(response.status).toBe(400)
    expect(Problem.parse(await response.json()).errors?.[0]?.field).toBe("body")
  })

  test("a problem never repeats what was sent", async () => {
    const { post } = createTestApp()
    for (const body of ['{"query": s3cret', '{"query":"a","strategy":"s3cret"}', '{"query":"a","top_k":"s3cret"}']) {
      expect(await (await post("/search", body)).text()).not.toContain("s3cret")
    }
  })

  test.each(["/documents?limit=0", "/documents?limit=201", "/documents?limit=x", "/documents?source_account_id=%00"])(
    "GET %s is a 400",
    async (path) => {
      const { send, reached } = createTestApp()
      const response = await send("GET", path)
      expect(response.status).toBe(400)
      expect(Problem.parse(await response.json()).errors).toHaveLength(1)
      expect(reached).toEqual([])
    },
  )
})
