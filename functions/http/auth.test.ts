import { describe, expect, test } from "vitest"
import { createMemoryLimits } from "../../lib/limits/memory-limits.ts"
import { createRates } from "../../lib/limits/rates.ts"
import { Problem } from "./problem.ts"
import { createTestApp } from "./test-app.ts"

const QUERY = { query: "a" }

async function codeOf(response: Response): Promise<string> {
  return Problem.parse(await response.json()).code
}

describe("keys", () => {
  test("no key and a wrong key are a 401 that says how to send one", async () => {
    const { post } = createTestApp({ policy: "keys" })
    for (const headers of [
      {},
      { "x-api-key": "wrong" },
      { authorization: "Bearer wrong" },
      { authorization: "Basic x" },
    ]) {
      const response = await post("/search", QUERY, headers as Record<string, string>)
      expect(response.status).toBe(401)
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/)
    }
  })

  test("a key opens as a bearer token and as x-api-key", async () => {
    const { post } = createTestApp({ policy: "keys" })
    expect((await post("/search", QUERY, { authorization: "bearer acme" })).status).toBe(200)
    expect((await post("/search", QUERY, { "x-api-key": "acme" })).status).toBe(200)
  })

  test("the key is checked before the body is read", async () => {
    const { post } = createTestApp({ policy: "keys" })
    expect((await post("/search", "{")).status).toBe(401)
  })

  test("a wrong key is refused even where none is needed", async () => {
    expect((await createTestApp().post("/search", QUERY, { "x-api-key": "wrong" })).status).toBe(401)
    expect((await createTestApp({ policy: "open" }).post("/search", QUERY, { "x-api-key": "wrong" })).status).toBe(401)
  })

  test.each([
    ["POST", "/index", '{"id":"a","content":"b"}'],
    ["POST", "/index/batch", '{"id":"a","content":"b"}'],
    ["DELETE", "/documents/a", undefined],
    ["POST", "/embed", '{"inputs":"a"}'],
    ["POST", "/rerank", '{"query":"a","texts":["b"]}'],
    ["POST", "/v1/embeddings", '{"input":"a"}'],
  ])("%s %s needs a scope that a reader's key does not have", async (method, path, body) => {
    const { send, reached } = createTestApp({ policy: "keys" })
    const response = await send(method, path, body, { "x-api-key": "reader" })
    expect(response.status).toBe(403)
    expect(await codeOf(response)).toBe("forbidden")
    expect(reached).toEqual([])
  })

  test("everything but health and the pages needs a key", async () => {
    const { send } = createTestApp({ policy: "keys" })
    for (const path of ["/documents", "/documents/a", "/health?detail=1"]) {
      expect((await send("GET", path)).status).toBe(401)
    }
    for (const path of ["/health", "/openapi.json", "/", "/docs"]) expect((await send("GET", path)).status).toBe(200)
  })

  test("a key's rate is kept: every answer says how it stands, and a refusal when to come again", async () => {
    const { post, send } = createTestApp({ policy: "keys" })
    const answers = [
      await post("/search", QUERY, { "x-api-key": "slow" }),
      await send("GET", "/documents/a", undefined, { "x-api-key": "slow" }),
      await post("/search", QUERY, { "x-api-key": "slow" }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 429])
    const header = (name: string) => answers.map(({ headers }) => headers.get(name))
    expect(header("ratelimit-policy")).toEqual(Array(3).fill('"key";q=2;w=60'))
    expect(header("ratelimit")).toEqual(['"key";r=1;t=60', '"key";r=0;t=60', '"key";r=0;t=60'])
    expect(header("retry-after")).toEqual([null, null, "60"])
    expect(await answers[2]?.json()).toMatchObject({ code: "rate_limited", retry_after_s: 60 })
  })

  test("a key without a rate has the installation's, a request without a key has none", async () => {
    const rates = createRates(createMemoryLimits(), { ratePerKey: 1 })
    const { post } = createTestApp({ rates })
    const with_ = (headers: Record<string, string>) => post("/search", QUERY, headers)
    expect((await with_({ "x-api-key": "acme" })).headers.get("ratelimit-policy")).toBe('"key";q=1;w=60')
    expect((await with_({ "x-api-key": "acme" })).status).toBe(429)
    expect((await with_({ "x-api-key": "slow" })).headers.get("ratelimit-policy")).toBe('"key";q=2;w=60')
    for (const _ of [1, 2]) {
      const free = await with_({})
      expect([free.status, free.headers.get("ratelimit")]).toEqual([200, null])
    }
  })

  test("a tenant's rate holds for all keys, for each line of a batch, and for nobody else", async () => {
    const rates = createRates(createMemoryLimits(), { ratePerTenant: 2 })
    const { post } = createTestApp({ policy: "keys", rates })
    const search = (key: string, tenant: string) =>
      post("/search", { ...QUERY, source_account_id: tenant }, { "x-api-key": key })
    const first = await search("acme", "acme")
    expect(first.headers.get("ratelimit-policy")).toBe('"tenant";q=2;w=60')
    expect(first.headers.get("ratelimit")).toBe('"tenant";r=1;t=60')
    const line = JSON.stringify({ id: "a", content: "b", source_account_id: "acme" })
    const batch = await post("/index/batch", `${line}\n${line}`, { "x-api-key": "every" })
    expect((await batch.text()).match(/"status":"indexed"/g)).toHaveLength(2)
    const over = await search("two", "acme")
    expect(over.status).toBe(429)
    expect(await over.json()).toMatchObject({
      code: "rate_limited",
      detail: expect.stringContaining("RATE_PER_TENANT"),
    })
    const late = await post("/index/batch", line, { "x-api-key": "every" })
    expect(await late.json()).toMatchObject({ line: 1, status: "failed", code: "rate_limited" })
    expect((await search("every", "another")).status).toBe(200)
  })
})

describe("tenants", () => {
  test.each([
    ["acme", undefined, "acme"],
    ["acme", "", "acme"],
    ["acme", "acme", "acme"],
    ["two", undefined, "primary"],
    ["every", undefined, "primary"],
    ["every", "anyone", "anyone"],
  ])("key %s asking for %j searches as %s", async (key, asked, tenant) => {
    const { post, reached } = createTestApp({ policy: "keys" })
    const response = await post("/search", { ...QUERY, source_account_id: asked }, { "x-api-key": key })
    expect(response.status).toBe(200)
    expect(reached[0]?.tenant).toBe(tenant)
  })

  test("a tenant that isn't the key's is a 403 on every route, and nothing is reached", async () => {
    const { send, reached } = createTestApp({ policy: "keys" })
    const other = { source_account_id: "other" }
    const requests: [string, string, string?][] = [
      ["POST", "/search", JSON.stringify({ ...QUERY, ...other })],
      ["POST", "/index", JSON.stringify({ id: "a", content: "b", ...other })],
      ["GET", "/documents?source_account_id=other"],
      ["GET", "/documents/a?source_account_id=other"],
      ["DELETE", "/documents/a?source_account_id=other"],
    ]
    for (const [method, path, body] of requests) {
      const response = await send(method, path, body, { "x-api-key": "acme" })
      expect(response.status).toBe(403)
      expect(await codeOf(response)).toBe("forbidden")
    }
    const batch = await send("POST", "/index/batch", JSON.stringify({ id: "a", content: "b", ...other }), {
      "x-api-key": "acme",
    })
    expect(await batch.json()).toMatchObject({ line: 1, id: "a", status: "failed", code: "forbidden" })
    expect(reached).toEqual([])
  })
})

describe("a tenant in the query string", () => {
  const ROUTES: [path: string, body: object][] = [
    ["/search", QUERY],
    ["/index", { id: "a", content: "b" }],
    ["/index/batch", { id: "a", content: "b" }],
  ]

  test.each(ROUTES)(
    "is the tenant of POST %s where the body names none, and gives way where it does",
    async (path, body) => {
      const { post, reached } = createTestApp({ policy: "keys" })
      const query = `${path}?source_account_id=other`
      expect((await (await post(query, body, { "x-api-key": "every" })).text()).length).toBeGreaterThan(0)
      await (await post(query, { ...body, source_account_id: "named" }, { "x-api-key": "every" })).text()
      await (await post(`${path}?source_account_id=`, body, { "x-api-key": "acme" })).text()
      expect(reached.map(({ tenant }) => tenant)).toEqual(["other", "named", "acme"])
    },
  )

  test.each(ROUTES)("is a 403 on POST %s when it isn't the key's, and a 400 when it is none", async (path, body) => {
    const { post, reached } = createTestApp({ policy: "keys" })
    const key = { "x-api-key": "acme" }
    expect((await post(`${path}?source_account_id=other`, body, key)).status).toBe(403)
    expect((await post(`${path}?source_account_id=*`, body, key)).status).toBe(400)
    expect((await post(`${path}?source_account_id=%00`, body, key)).status).toBe(400)
    expect(reached).toEqual([])
  })
})

test("a key for several tenants, none of them primary, is told to name one", async () => {
  const { post } = createTestApp({
    policy: "keys",
    authenticate: async () => ({ id: "k", tenants: ["a", "b"], scopes: ["search"] }),
  })
  const response = await post("/search", QUERY, { "x-api-key": "k" })
  expect(response.status).toBe(403)
  expect(Problem.parse(await response.json())).toMatchObject({
    code: "forbidden",
    title: "This is not allowed",
    detail: "Name one of the API key's tenants as source_account_id",
  })
})

describe("without a key, on loopback", () => {
  test.each(["127.0.0.1:3825", "localhost:3825", "localhost", "[::1]:3825", "app.localhost"])(
    "Host %s is this machine",
    async (host) => {
      expect((await createTestApp().post("/search", QUERY, { host })).status).toBe(200)
    },
  )

  test.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:3825", "192.168.1.2:3825", ""])(
    "Host %j, which another's DNS may point here, needs a key",
    async (host) => {
      const { post } = createTestApp()
      expect((await post("/search", QUERY, { host })).status).toBe(401)
      expect((await post("/search", QUERY, { host, "x-api-key": "acme" })).status).toBe(200)
    },
  )

  test.each([undefined, "192.168.1.2", "::ffff:10.0.0.1", "8.8.8.8"])("a peer at %s needs a key", async (address) => {
    const { post } = createTestApp({ peerAddress: () => address })
    expect((await post("/search", QUERY)).status).toBe(401)
  })

  test("peers at ::1 and ::ffff:127.0.0.1 are this machine", async () => {
    for (const address of ["::1", "::ffff:127.0.0.1"]) {
      expect((await createTestApp({ peerAddress: () => address }).post("/search", QUERY)).status).toBe(200)
    }
  })

  test("what a proxy forwards for others needs a key", async () => {
    const { post } = createTestApp()
    expect((await post("/search", QUERY, { "x-forwarded-for": "8.8.8.8" })).status).toBe(401)
    expect((await post("/search", QUERY, { forwarded: "for=8.8.8.8" })).status).toBe(401)
  })

  test("a page of another site is refused, a page of ours is served", async () => {
    for (const policy of ["loopback", "open"] as const) {
      const { post } = createTestApp({ policy })
      for (const origin of ["https://evil.example", "null", "http://127.0.0.1:8080"]) {
        expect((await post("/search", QUERY, { origin })).status).toBe(403)
      }
      expect((await post("/search", QUERY, { origin: "http://127.0.0.1:3825" })).status).toBe(200)
    }
  })

  test("served openly, anybody may be any tenant", async () => {
    const { post, reached } = createTestApp({ policy: "open", peerAddress: () => "8.8.8.8" })
    expect((await post("/search", { ...QUERY, source_account_id: "t" }, { host: "api.example" })).status).toBe(200)
    expect(reached[0]?.tenant).toBe("t")
  })
})
