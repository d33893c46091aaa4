import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { connectClient, KINDS, type TestClient, type ToolResult } from "./mcp-clients.ts"
import { type ServedMcp, serveMcp } from "./serve-mcp.ts"

// Two tenants with the same ids. Whatever a key of the one asks, by any tool, resource or completion, it gets nothing of
// the other, and of what is the other's alone it hears the same as of what never was.

let served: ServedMcp
let left: TestClient
let right: TestClient
let both: TestClient
beforeAll(async () => {
  served = await serveMcp()
  ;[left, right, both] = (await Promise.all(
    (["left", "right", "both"] as const).map((name) =>
      connectClient("v2 over HTTP, 2026", served.url, served.keys[name]),
    ),
  )) as [TestClient, TestClient, TestClient]
})
afterAll(async () => {
  await Promise.all([left, right, both].map((client) => client.close()))
  await served.close()
})

const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["rag_answer", { question: "What is the secret of the harbour?" }],
  ["retrieve", { query: "secret harbour alone odd", top_k: 50 }],
  ["retrieve_documents", { query: "secret harbour alone odd", top_k: 50 }],
  ["hybrid_search", { query: "secret harbour alone odd", top_k: 50 }],
  ["read_chunk", { citation: "[[same#c0001]]" }],
  ["list_anomalies", {}],
  ["list_documents", {}],
]

describe("a key of one tenant", () => {
  test.each(CALLS)("gets its own from %s %j, and nothing of the other's", async (name, args) => {
    for (const [client, own, other] of [
      [left, "left", "right"],
      [right, "right", "left"],
    ] as const) {
      const text = JSON.stringify(await client.call(name, args))
      expect(text).toContain(own)
      expect(text).not.toContain(other)
    }
  })

  test.each([
    ["read_chunk", (id: string) => ({ citation: `[[${id}#c0001]]` })],
    ["get_page_chunks", (document_id: string) => ({ document_id, page: 1 })],
    ["list_anomalies", (document_id: string) => ({ document_id })],
    ["crop", (document_id: string) => ({ document_id, page: 1 })],
  ])("hears of the other's document from %s what it hears of one that never was", async (name, args) => {
    const foreign = await right.call(name, args("andorinha-inquiry-1934"))
    const never = await right.call(name, args("never-there"))
    expect(foreign).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^not_found: /) }] })
    expect(foreign).toEqual(never)
    expect((await left.call("get_page_chunks", { document_id: "andorinha-inquiry-1934", page: 1 })).isError).toBeFalsy()
  })

  test("reads and completes its own resources alone", async () => {
    expect(await left.read("doc://same#c0001")).toContain("left secret")
    expect(await right.read("doc://same#c0001")).toContain("right secret")
    const failure = async (uri: string) => String(await right.read(uri).catch((error: Error) => error.message))
    for (const rest of ["/p001", "/p001#c0001", "#c0001"]) {
      const foreign = await failure(`doc://andorinha-inquiry-1934${rest}`)
      expect(foreign).toBe(await failure(`doc://never-there${rest}`))
      expect(foreign).toContain("There is no document with this id")
    }
    expect(await right.complete("doc://{doc}/{page}", "")).toEqual([
      "Odd%2Fid%20%231%20%C3%A9%3F",
      "right%20alone",
      "same",
    ])
    expect(await right.complete("doc://{doc}/{page}", "left")).toEqual([])
  })

  test("is refused the other tenant by name, in a call and in a URI, as one that is not there", async () => {
    const asked = async (source_account_id: string) => left.call("list_documents", { source_account_id })
    expect(await asked("right")).toEqual(await asked("nobody"))
    expect(await asked("right")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^forbidden: /) }],
    })
    expect(await asked("*")).toMatchObject({ isError: true })
    const read = (tenant: string) => left.read(`doc://same?source_account_id=${tenant}#c0001`).catch(String)
    expect(await read("right")).toBe(await read("nobody"))
    expect(await read("right")).not.toContain("secret of")
  })
})

describe("ids that no row can have", () => {
  test.each([
    "doc://%00/1",
    "doc://same#%00",
    "doc://same/1?source_account_id=%00",
    "doc://same?source_account_id=%ff#c0001",
  ])("%s is not found, as any that leads nowhere", async (uri) => {
    const code = (asked: string) => left.read(asked).catch((error: { code?: number }) => error.code)
    expect(await code(uri)).toBe(await code("doc://never-there/1"))
    expect(await code(uri)).toEqual(expect.any(Number))
  })

  test.each(["%00", "same\u0000", "\ud800", "%"])("%j begins none", async (begun) => {
    expect(await left.complete("doc://{doc}/{page}", begun)).toEqual([])
  })

  test("nor is a completion without the tenant it needs the server's fault", async () => {
    await expect(both.complete("doc://{doc}/{page}", "")).rejects.toMatchObject({ code: -32_602 })
  })
})

describe("a key of two tenants", () => {
  test("must name one, is offered to, and reads on by the links of what it got", async () => {
    const tools = await both.tools()
    expect(tools.map(({ inputSchema }) => Object.keys((inputSchema as { properties: object }).properties))).toEqual(
      tools.map(() => expect.arrayContaining(["source_account_id"])),
    )
    const unsaid = await both.call("retrieve", { query: "secret" })
    expect(unsaid).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("Name one of") }] })
    for (const tenant of ["left", "right"]) {
      const { content } = await both.call("retrieve", { query: "secret", source_account_id: tenant, top_k: 1 })
      const uri = String(content.find(({ type }) => type === "resource_link")?.uri)
      expect(uri).toBe(`doc://same?source_account_id=${tenant}#c0001`)
      expect(await both.read(uri)).toContain(`${tenant} secret`)
    }
  })
})

describe.each(KINDS)("a client of %s", (kind) => {
  test("isn't let in without a key, with a wrong one, or with one that may not search", async () => {
    await expect(connectClient(kind, served.url)).rejects.toThrow()
    await expect(connectClient(kind, served.url, "wrong")).rejects.toThrow()
    await expect(connectClient(kind, served.url, served.keys.indexer)).rejects.toThrow()
  })
})

describe.each(["/mcp", "/sse"])("%s", (path) => {
  const ask = (headers: Record<string, string> = {}) =>
    fetch(`${served.url}${path}`, {
      headers: { accept: "application/json, text/event-stream", ...headers },
      ...(path === "/mcp" && {
        method: "POST",
        headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      }),
    })
  const metadata = () => `resource_metadata="${served.url}/.well-known/oauth-protected-resource${path}"`

  test("challenges with a 401 that says where to read how a key is sent", async () => {
    const none = await ask()
    expect(none.status).toBe(401)
    expect(none.headers.get("www-authenticate")).toBe(`Bearer realm="concordance", ${metadata()}`)
    const wrong = await ask({ authorization: "Bearer wrong" })
    expect(wrong.status).toBe(401)
    expect(wrong.headers.get("www-authenticate")).toBe(
      `Bearer realm="concordance", error="invalid_token", ${metadata()}`,
    )
  })

  test("challenges with a 403 that names the scope", async () => {
    const response = await ask({ authorization: `Bearer ${served.keys.indexer}` })
    expect(response.status).toBe(403)
    expect(response.headers.get("www-authenticate")).toBe(
      `Bearer realm="concordance", error="insufficient_scope", scope="search", ${metadata()}`,
    )
  })

  test("has metadata that name it as the client reaches it", async () => {
    const url = `${served.url}/.well-known/oauth-protected-resource${path}`
    expect(await (await fetch(url)).json()).toMatchObject({
      resource: `${served.url}${path}`,
      scopes_supported: ["search"],
      bearer_methods_supported: ["header"],
    })
    const behind = await fetch(url, {
      headers: { "x-forwarded-host": "docs.example.org", "x-forwarded-proto": "https" },
    })
    expect(await behind.json()).toMatchObject({ resource: `https://docs.example.org${path}` })
    const forged = await fetch(url, { headers: { "x-forwarded-host": 'evil"><script>' } })
    expect(await forged.json()).toMatchObject({ resource: `${served.url}${path}` })
  })
})

test("nothing of questions, documents or keys stands in the log", async () => {
  const result: ToolResult = await left.call("retrieve", { query: "secret harbour" })
  expect(result.isError).toBeFalsy()
  const log = served.lines.join("")
  expect(log).toContain('"tool":"retrieve"')
  for (const secret of ["secret", "harbour", "Rope", served.keys.left]) expect(log).not.toContain(secret)
})
