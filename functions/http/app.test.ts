import { describe, expect, test } from "vitest"
import { AppError } from "../../lib/errors.ts"
import { Problem } from "./problem.ts"
import { createTestApp } from "./test-app.ts"

describe("requests", () => {
  test("a search reaches the pipeline with its defaults, and its stages come back as Server-Timing", async () => {
    const { post, reached } = createTestApp()
    const response = await post("/search", { query: "wind" })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ results: [], count: 0, strategy: "rrf" })
    expect(response.headers.get("server-timing")).toMatch(/^rank;dur=[\d.]+, total;dur=[\d.]+$/)
    expect(reached).toMatchObject([{ tenant: "primary", request: { query: "wind", top_k: 10, group_by: "document" } }])
  })

  test("unknown fields are ignored and named", async () => {
    const { post } = createTestApp()
    const answer = await (await post("/search", { query: "a", foo: 1, "\ud800": 2 })).json()
    expect(answer).toMatchObject({
      warnings: ['unknown field "foo" was ignored', 'unknown field "\ufffd" was ignored'],
    })
    const indexed = await post("/index", { id: "a", content: "b", tags: [] })
    expect(indexed.status).toBe(201)
    expect(await indexed.json()).toEqual({ status: "indexed", warnings: ['unknown field "tags" was ignored'] })
  })

  test("the zero values of a Go client count as absent", async () => {
    const { post, reached } = createTestApp()
    const response = await post("/search", { query: "a", embedding: null, source_account_id: "", filter: null })
    expect(response.status).toBe(200)
    expect(reached).toMatchObject([{ tenant: "primary" }])
    expect(reached[0]?.request).not.toHaveProperty("embedding")
  })

  test.each([
    "text/html",
    "text/csv",
    "application/xml",
    "multipart/form-data; boundary=x",
    "application/json; charset=latin1",
    'application/json; version=1; Charset="utf-16"',
  ])("the content type %s is a 415", async (type) => {
    const { post } = createTestApp()
    const response = await post("/search", { query: "a" }, { "content-type": type })
    expect(response.status).toBe(415)
    expect(Problem.parse(await response.json()).code).toBe("unsupported_media_type")
  })

  test("JSON is taken under every usual content type, and under none", async () => {
    const { app, post } = createTestApp()
    for (const type of [
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "application/ld+json",
      "application/x-www-form-urlencoded",
    ]) {
      expect((await post("/search", { query: "a" }, { "content-type": type })).status).toBe(200)
    }
    const bare = new Request("http://127.0.0.1/search", { method: "POST", body: Buffer.from('{"query":"a"}') })
    bare.headers.set("host", "127.0.0.1")
    expect(bare.headers.get("content-type")).toBeNull()
    expect((await app.request(bare)).status).toBe(200)
  })

  test("a compressed body is a 415, not a 400 about its JSON", async () => {
    const { post } = createTestApp()
    expect((await post("/search", { query: "a" }, { "content-encoding": "gzip" })).status).toBe(415)
  })

  test("a decent request id is kept, any other replaced", async () => {
    const { send } = createTestApp()
    const kept = await send("GET", "/health", undefined, { "x-request-id": "abc-123" })
    expect(kept.headers.get("x-request-id")).toBe("abc-123")
    for (const bad of ["x".repeat(129), "a b", '"}']) {
      const replaced = await send("GET", "/health", undefined, { "x-request-id": bad })
      expect(replaced.headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/)
    }
  })

  test.each(["a/b", 'say "hi"', "it's", "📚 é", "100%", "a%2Fb", "a?b#c", " ", "x".repeat(1_024), "日".repeat(341)])(
    "a document's id %j survives the path",
    async (id) => {
      const { send, reached } = createTestApp()
      const deleted = await send("DELETE", `/documents/${encodeURIComponent(id)}?source_account_id=t`)
      expect(deleted.status).toBe(200)
      expect(reached).toEqual([{ tenant: "t", request: { id } }])
    },
  )

  test("a document that isn't there is a 404", async () => {
    const { send } = createTestApp()
    for (const response of [await send("DELETE", "/documents/missing"), await send("GET", "/documents/missing")]) {
      expect(response.status).toBe(404)
      expect(Problem.parse(await response.json()).code).toBe("not_found")
    }
  })
})

describe("errors", () => {
  test("an unknown path is a 404 and a wrong method a 405 that says what is allowed", async () => {
    const { send } = createTestApp()
    const unknown = await send("GET", "/nothing")
    expect(unknown.status).toBe(404)
    expect(Problem.parse(await unknown.json()).code).toBe("not_found")
    const wrong = await send("GET", "/search")
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get("allow")).toBe("POST")
    expect(Problem.parse(await wrong.json()).code).toBe("method_not_allowed")
    expect((await send("PUT", "/documents/a")).headers.get("allow")).toBe("HEAD, GET, DELETE")
  })

  test("an unforeseen failure is a 500 without details, logged under its request id", async () => {
    const { post, lines } = createTestApp({
      search: () => Promise.reject(new Error('relation "s3cret" does not exist')),
    })
    const response = await post("/search", { query: "my private words" })
    expect(response.status).toBe(500)
    const text = await response.text()
    expect(text).not.toContain("s3cret")
    const problem = Problem.parse(JSON.parse(text))
    const logged = lines.map((line) => JSON.parse(line)).find(({ level }) => level === "error")
    expect(logged).toMatchObject({
      requestId: problem.request_id,
      error: { message: 'relation "s3cret" does not exist' },
    })
    expect(lines.join()).not.toContain("private")
  })

  test.each([
    ["database_unavailable", 503],
    ["inference_unavailable", 503],
    ["deadline_exceeded", 504],
    ["conflict", 409],
  ] as const)("%s is a %i", async (code, status) => {
    const { post } = createTestApp({ search: () => Promise.reject(new AppError(code, "why")) })
    const response = await post("/search", { query: "a" })
    expect(response.status).toBe(status)
    expect(Problem.parse(await response.json())).toMatchObject({ code, detail: "why" })
  })

  test("a search past its deadline is a 504", async () => {
    const { post } = createTestApp({
      searchTimeoutMs: 20,
      search: (_, __, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    })
    expect((await post("/search", { query: "a" })).status).toBe(504)
  })

  test("a document that fails to index is the problem it failed with", async () => {
    const { post } = createTestApp({
      indexDocuments: async (_, [request]) => [
        { id: request?.id ?? "", failed: new AppError("inference_unavailable", "why") },
      ],
    })
    expect((await post("/index", { id: "a", content: "b" })).status).toBe(503)
  })

  test("/health is 503 and unhealthy when the database is gone", async () => {
    const { send } = createTestApp({ health: async () => ({ status: "unhealthy" }) })
    const response = await send("GET", "/health")
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ status: "unhealthy" })
    const detailed = await send("GET", "/health?detail=1")
    expect(await detailed.json()).toEqual({ status: "unhealthy", version: "0.0.0" })
  })
})
