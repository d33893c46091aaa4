import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { parseConfig } from "../lib/config.ts"
import { openEngine } from "../lib/indexes/open-index.ts"
import { mintKey } from "../lib/keys/api-key.ts"
import { createKeyRing } from "../lib/keys/key-ring.ts"
import { openEmptyDatabase, openTestDatabase, type TestDatabase } from "./database.ts"
import { callIn, record } from "./indexes/records.ts"
import { startQdrantStub } from "./indexes/stub-qdrant.ts"
import { type GatewayAnswer, gatewayEvent, lambdaContext, streamingRuntime } from "./lambda-events.ts"
import { startModelService } from "./model-service.ts"

// Each Lambda's handler with the events that AWS sends. Those with a database run on a server: a Lambda has none embedded.

type Handler = (event: never, context: never) => Promise<unknown>

/** Where SST's `Resource` keeps what is linked; a module of its own, it is loaded once for all of these functions. */
const linked: Record<string, unknown> = {}
vi.stubGlobal("__SST_RESOURCE_RAW__", linked)
// What the handlers log, each line of it.
const written = vi.spyOn(process.stdout, "write").mockReturnValue(true)

/** Links these to the functions that are loaded next, and nothing else. */
function link(resources: object): void {
  for (const name of Object.keys(linked)) delete linked[name]
  Object.assign(linked, { App: {} }, resources)
}

async function load(name: string): Promise<Handler> {
  vi.resetModules()
  return ((await import(`../functions/${name}.ts`)) as { handler: Handler }).handler
}

async function ask(handler: Handler, request: Parameters<typeof gatewayEvent>[0], leftMs?: number) {
  const answer = (await handler(gatewayEvent(request) as never, lambdaContext(leftMs) as never)) as GatewayAnswer
  const body = Buffer.from(answer.body, answer.isBase64Encoded ? "base64" : "utf8").toString()
  return { ...answer, body, json: () => JSON.parse(body) as Record<string, unknown> }
}

describe("pages", () => {
  let pages: Handler
  beforeAll(async () => {
    pages = await load("pages")
  })

  test("serve the page, the contract and their files", async () => {
    expect(await ask(pages, { path: "/docs" })).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining("<html"),
    })
    expect((await ask(pages, { path: "/openapi.json" })).json()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/),
    })
    expect((await ask(pages, { path: "/docs/swagger-ui.js" })).statusCode).toBe(200)
  })

  test("answer every other path as a problem with Lambda's request id, and need no database", async () => {
    const answer = await ask(pages, { method: "POST", path: "/nowhere", body: "{}" })
    expect(answer).toMatchObject({ statusCode: 404, headers: { "content-type": "application/problem+json" } })
    expect(answer.json()).toMatchObject({ code: "not_found", request_id: lambdaContext().awsRequestId })
  })
})

test("an answer that Lambda would drop is a problem that says what to ask for", async () => {
  const { edgeHandler } = await import("../functions/lambda/http-handler.ts")
  const handler = edgeHandler((app) => {
    app.get("/:chars", (c) => c.text("x".repeat(Number(c.req.param("chars")))))
  })
  expect(await ask(handler as Handler, { path: "/5900000" })).toMatchObject({ statusCode: 200 })
  const refused = await ask(handler as Handler, { path: "/5900001" })
  expect(refused).toMatchObject({ statusCode: 413, headers: { "content-type": "application/problem+json" } })
  expect(refused.json()).toMatchObject({ code: "payload_too_large", request_id: lambdaContext().awsRequestId })
})

test("a function without its database says what is missing", async () => {
  link({})
  await expect(ask(await load("search"), { method: "POST", path: "/search" })).rejects.toThrow("no Database is linked")
})

test("a function that was to run Chroma on a folder says that it can't, and what to set", async () => {
  link({})
  vi.stubEnv("VECTORDB_PROVIDER", "chroma")
  for (const name of ["search", "health", "documents"]) {
    const asked = ask(await load(name), { path: "/" })
    await expect(asked, name).rejects.toThrow(/CHROMA_URL must be set .* CHROMA_PERSIST_DIR can't be used/)
  }
  vi.unstubAllEnvs()
})

test("a search while the index elsewhere is down is a 503 that says so, and not a failed invocation", async () => {
  link({ Database: { url: "postgres://u:p@127.0.0.1:1/d" } })
  const settings = { VECTORDB_PROVIDER: "weaviate", WEAVIATE_URL: "http://127.0.0.1:1", EMBEDDING_MODEL: "none" }
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
  const answer = await ask(await load("search"), { method: "POST", path: "/search", body: '{"query":"x"}' })
  vi.unstubAllEnvs()
  expect(answer).toMatchObject({ statusCode: 503, headers: { "retry-after": "5" } })
  expect(answer.json()).toMatchObject({ code: "index_unavailable" })
  // Nobody has shown a key: where the index is, is not for them.
  expect(answer.body).not.toMatch(/Weaviate|127\.0/)
})

const onServer = await openTestDatabase()
const { urls } = onServer
if (!urls) await onServer.close()

describe.skipIf(!urls)("with a database", () => {
  const database: TestDatabase = onServer
  const key = mintKey()
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  beforeAll(async () => {
    link({ Database: { url: urls?.login } })
    await createKeyRing(database.owner).seed(key, "test")
  })
  afterAll(() => database.close())

  test("what is indexed is found, and by nobody without a key", async () => {
    const [index, search] = [await load("index"), await load("search")]
    const body = JSON.stringify({ id: "ferry", title: "Ferry", content: "The ferry leaves at nine." })
    expect(await ask(index, { method: "POST", path: "/index", headers, body })).toMatchObject({ statusCode: 201 })
    const ndjson = Buffer.from(`${JSON.stringify({ id: "b", title: "B", content: "Another ferry." })}\n`)
    const batch = await ask(index, {
      method: "POST",
      path: "/index/batch",
      headers: { ...headers, "content-type": "application/x-ndjson" },
      body: ndjson,
    })
    expect(batch).toMatchObject({ statusCode: 200, body: expect.stringContaining('"status":"indexed"') })
    const question = { method: "POST", path: "/search?source_account_id=primary", body: '{"query":"ferry"}' }
    const found = await ask(search, { ...question, headers })
    expect(found.json()).toMatchObject({ count: 2, results: [{ id: expect.any(String) }, {}] })
    expect(await ask(search, question)).toMatchObject({ statusCode: 401 })
    expect(await ask(search, { ...question, headers: { "x-api-key": mintKey() } })).toMatchObject({ statusCode: 401 })
  })

  test("wrong keys are slowed by the platform's address, whatever X-Forwarded-For says", async () => {
    const search = await load("search")
    const statuses = []
    for (let i = 0; i < 11; i++) {
      const wrong = { "x-api-key": mintKey(), "x-forwarded-for": `198.51.100.${i}` }
      const request = { method: "POST", path: "/search", headers: wrong, body: '{"query":"ferry"}' }
      statuses.push((await ask(search, request)).statusCode)
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429])
    const lines = written.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("wrong API key"))
    expect(lines.at(-1)).toContain('"address":"203.0.113.7"')
  })

  test.each(["reports/1936", "50%", "50%25", "what?", "#1", "ice house", "São João"])(
    "a document called %s is read, listed by page and deleted under its own name",
    async (id) => {
      const [index, documents] = [await load("index"), await load("documents")]
      const body = JSON.stringify({ id, title: "T", content: "Some text." })
      await ask(index, { method: "POST", path: "/index", headers, body })
      const path = `/documents/${encodeURIComponent(id)}`
      expect((await ask(documents, { path, headers })).json()).toMatchObject({ id })
      expect((await ask(documents, { path: `${path}/pages`, headers })).json()).toMatchObject({ pages: [] })
      expect(await ask(documents, { method: "DELETE", path, headers })).toMatchObject({ statusCode: 200 })
      expect(await ask(documents, { path, headers })).toMatchObject({ statusCode: 404 })
    },
  )

  test("a search ends before its Lambda does", async () => {
    const search = await load("search")
    const request = { method: "POST", path: "/search", headers, body: '{"query":"ferry"}' }
    expect(await ask(search, request, 400)).toMatchObject({ statusCode: 504 })
  })

  test("a log line names the route and Lambda's request, never what was asked", async () => {
    vi.stubEnv("LOG_LEVEL", "debug")
    const search = await load("search")
    await ask(search, { method: "POST", path: "/search", headers, body: '{"query":"secretword"}' })
    vi.unstubAllEnvs()
    const lines = written.mock.calls.map(([line]) => String(line)).join("")
    expect(lines).toContain(`"requestId":"${lambdaContext().awsRequestId}"`)
    expect(lines).toContain('"route":"/search"')
    expect(lines).not.toContain("secretword")
    expect(lines).not.toContain(key)
  })

  test("health asks the database, and in detail the models, with a key", async () => {
    const health = await load("health")
    expect((await ask(health, { path: "/health" })).json()).toEqual({ status: "ok" })
    expect((await ask(health, { path: "/health?detail=1" })).statusCode).toBe(401)
    expect((await ask(health, { path: "/health?detail=1", headers })).json()).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      components: { database: { status: "ok" }, embedder: { status: "absent" } },
    })
  })

  test.each([
    ["documents", "GET", "/documents", 200],
    ["documents", "GET", "/documents/ferry", 200],
    ["documents", "GET", "/documents/nobody%2Fs", 404],
    ["documents", "GET", "/entities?q=x", 200],
    ["documents", "GET", "/anomalies", 200],
    ["documents", "GET", "/collection", 200],
    ["documents", "DELETE", "/documents/ferry", 200],
    ["crop", "GET", "/crop/ferry/1?chunk=c0001", 404],
    ["crop", "GET", "/crop/ferry/1?bbox=1,2,3", 400],
    ["models", "POST", "/embed", 503],
  ])("%s answers %s %s with %i", async (name, method, path, status) => {
    const body = method === "POST" ? '{"inputs":"x"}' : undefined
    const answer = await ask(await load(name), { method, path, headers, ...(body && { body }) })
    expect(answer.statusCode).toBe(status)
    if (status === 503) expect(answer.headers).toHaveProperty("retry-after")
  })

  test("models of a service are asked with the key that is linked", async () => {
    const service = await startModelService(() => ({ json: [[1, 0]] }))
    vi.stubEnv("EMBED_SERVICE_URL", service.url)
    vi.stubEnv("EMBEDDING_MODEL", "ours")
    vi.stubEnv("EMBEDDING_DIMENSIONS", "2")
    link({ Database: { url: urls?.login }, EmbedServiceApiKey: { value: "linked" } })
    try {
      const answer = await ask(await load("models"), {
        method: "POST",
        path: "/embed",
        headers,
        body: '{"inputs":"x"}',
      })
      expect(answer).toMatchObject({ statusCode: 200, body: "[[1,0]]" })
      expect(service.requests.map((request) => request.headers.authorization)).toEqual(["Bearer linked"])
    } finally {
      vi.unstubAllEnvs()
      link({ Database: { url: urls?.login } })
      await service.close()
    }
  })

  test("an index elsewhere is searched, read and asked how it is, with the key that is linked", async () => {
    const qdrant = await startQdrantStub()
    const settings = {
      ...{ VECTORDB_PROVIDER: "qdrant", QDRANT_URL: qdrant.url, QDRANT_SPARSE: "true", EMBEDDING_MODEL: "none" },
      QDRANT_API_KEY: "wrong-key",
    }
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
    link({ Database: { url: urls?.login }, QdrantApiKey: { value: "right-key" } })
    try {
      const { open } = await openEngine(parseConfig({ ...settings, QDRANT_API_KEY: "right-key" }))
      const index = open("self_rag_documents")
      await index.ensureCollection?.(64, callIn())
      await index.upsert?.([await record(1, "Salted cod.", { document_id: "trade" })], callIn())
      const search = { method: "POST", path: "/search", headers, body: '{"query":"cod","source_account_id":"primary"}' }
      const found = (await ask(await load("search"), search)).json()
      expect(found).toMatchObject({ results: [{ id: "trade", citation: "[[trade#c0001]]" }] })
      const health = await ask(await load("health"), { path: "/health?detail=1", headers })
      expect(health.json()).toMatchObject({ components: { index: { status: "ok", name: "qdrant" } } })
      const chunk = { path: "/documents/trade/chunks/c0001?source_account_id=primary", headers }
      const documents = await load("documents")
      expect((await ask(documents, chunk)).json()).toMatchObject({ content: "Salted cod." })
      expect((await ask(documents, { ...chunk, path: "/documents/trade" })).body).toContain("Searches read qdrant")
    } finally {
      vi.unstubAllEnvs()
      link({ Database: { url: urls?.login } })
      await qdrant.close()
    }
  })

  describe("mcp, by a Function URL that streams", () => {
    let mcp: Handler
    beforeAll(async () => {
      vi.stubGlobal("awslambda", streamingRuntime())
      const index = await load("index")
      const body = JSON.stringify({ id: "lamp", title: "Lamp", content: "The lamp burns paraffin." })
      expect(await ask(index, { method: "POST", path: "/index", headers, body })).toMatchObject({ statusCode: 201 })
      // The last that is loaded: it loads parts of its own later, which must be of the same modules.
      mcp = await load("mcp")
    })
    afterAll(() => {
      vi.stubGlobal("awslambda", undefined)
    })
    const accept = { accept: "application/json, text/event-stream" }
    const send = (method: string, params: object = {}, more: Record<string, string> = {}) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params })
      return ask(mcp, { method: "POST", path: "/mcp", headers: { ...headers, ...accept, ...more }, body })
    }

    test("answers a client of 2025 in events, each request by itself", async () => {
      const about = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      const opened = await send("initialize", about)
      expect(opened).toMatchObject({ statusCode: 200, headers: { "content-type": "text/event-stream" } })
      expect(opened.body).toMatch(/event: message\ndata: .*"protocolVersion":"2025-06-18"/)
      const called = await send("tools/call", { name: "retrieve", arguments: { query: "paraffin" } })
      expect(called.body).toContain("The lamp burns paraffin.")
    })

    test("answers a client of 2026", async () => {
      const params = {
        name: "server_health",
        arguments: {},
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      }
      const standard = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "server_health" }
      const answer = await send("tools/call", params, standard)
      expect(answer).toMatchObject({ statusCode: 200 })
      expect(answer.body).toContain('"status":"ok"')
    })

    test("asks for a key, and says at the router's address how it is sent", async () => {
      const forwarded = { "x-forwarded-host": "docs.example.org", "x-forwarded-proto": "https" }
      const refused = await ask(mcp, { method: "POST", path: "/mcp", headers: forwarded, body: "{}" })
      expect(refused.statusCode).toBe(401)
      const metadata = "https://docs.example.org/.well-known/oauth-protected-resource/mcp"
      expect(refused.headers["www-authenticate"]).toContain(`resource_metadata="${metadata}"`)
      const found = await ask(mcp, { path: "/.well-known/oauth-protected-resource/mcp", headers: forwarded })
      expect(found.json()).toMatchObject({ resource: "https://docs.example.org/mcp" })
    })

    test("has no SSE: its sessions would be lost with the instance", async () => {
      expect((await ask(mcp, { path: "/sse", headers })).statusCode).toBe(404)
    })
  })

  test("migrate brings an empty database up to date, lets the service log in and the first key in; again it changes nothing", async () => {
    const empty = await openEmptyDatabase()
    try {
      const seed = mintKey()
      link({ Database: { url: empty.urls?.login }, DatabaseOwner: { url: empty.urls?.owner }, ApiKey: { value: seed } })
      const migrate = await load("migrate")
      expect(await migrate({} as never, {} as never)).toMatchObject({
        applied: expect.arrayContaining(["0001_create_roles.sql"]),
      })
      expect(await migrate({} as never, {} as never)).toEqual({ applied: [] })
      const found = await ask(await load("documents"), { path: "/documents", headers: { "x-api-key": seed } })
      expect(found).toMatchObject({ statusCode: 200 })
      link({
        Database: { url: empty.urls?.login },
        DatabaseOwner: { url: empty.urls?.owner },
        ApiKey: { value: "short" },
      })
      await expect((await load("migrate"))({} as never, {} as never)).rejects.toThrow("ApiKey")
    } finally {
      await empty.close()
    }
  })
})
