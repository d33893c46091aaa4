import { expect, test } from "vitest"
import { createTestApp } from "./test-app.ts"
import { webRoute } from "./web-route.ts"

const NOTHING_RUNS = "default-src 'none'; frame-ancestors 'none'; sandbox"
const PICTURE = { tag: '"t"', version: "1", read: async () => ({ bytes: new Uint8Array([1]), mimeType: "image/png" }) }
/** A store that was tampered with. */
const PAGE_FOR_PICTURE = { ...PICTURE, read: async () => ({ bytes: new Uint8Array([60]), mimeType: "text/html" }) }

function subject(overrides: Parameters<typeof createTestApp>[0] = {}) {
  return createTestApp({
    policy: "keys",
    pagePictures: { whole: async () => PICTURE, part: async () => PAGE_FOR_PICTURE },
    ...overrides,
  })
}

function expectProtected(headers: Headers, about: string, policy: unknown = NOTHING_RUNS): void {
  expect(headers.get("x-content-type-options"), about).toBe("nosniff")
  expect(headers.get("content-security-policy"), about).toEqual(policy)
  expect(headers.get("content-security-policy"), about).toContain("frame-ancestors 'none'")
  expect(headers.get("x-frame-options"), about).toBe("DENY")
  expect(headers.get("cross-origin-resource-policy"), about).toBe("same-origin")
  expect(headers.get("referrer-policy"), about).toBe("no-referrer")
  expect(headers.get("cache-control"), about).not.toBeNull()
  expect(headers.get("x-request-id"), about).not.toBeNull()
}

/** Every operation of the contract, and MCP's. */
async function operations(): Promise<{ method: string; path: string }[]> {
  const { paths } = (await (await createTestApp().send("GET", "/openapi.json")).json()) as { paths: object }
  const stated = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, "1") })),
  )
  const mcp = [
    { method: "POST", path: "/mcp" },
    { method: "GET", path: "/mcp" },
    { method: "GET", path: "/sse" },
    { method: "POST", path: "/messages" },
  ]
  return [...stated, ...mcp]
}

test("every route protects what it answers: with a key, without one, with a wrong body, with a wrong method", async () => {
  const { send } = subject()
  const all = await operations()
  expect(all.length).toBeGreaterThan(20)
  for (const { method, path } of all) {
    const body = method === "POST" ? "{}" : undefined
    for (const headers of [{ "x-api-key": "every" }, {}, { "x-api-key": "reader" }]) {
      const answer = await send(method, path, body, headers as Record<string, string>)
      expectProtected(answer.headers, `${method} ${path} ${answer.status}`)
      await answer.body?.cancel()
    }
    const wrong = await send("PATCH", path)
    expectProtected(wrong.headers, `PATCH ${path}`)
  }
})

test("so do an unknown path, a failure that nobody foresaw, and an answer that is a stream", async () => {
  const { send, post } = subject({ search: () => Promise.reject(new Error("unforeseen")) })
  expectProtected((await send("GET", "/nowhere")).headers, "404")
  const failed = await post("/search", { query: "x" }, { "x-api-key": "every" })
  expect(failed.status).toBe(500)
  expectProtected(failed.headers, "500")
  const streamed = await post("/answer", { question: "x" }, { "x-api-key": "every", accept: "text/event-stream" })
  expect(streamed.headers.get("content-type")).toMatch(/^text\/event-stream/)
  expectProtected(streamed.headers, "stream")
  await streamed.body?.cancel()
})

test("a picture is a picture to the browser, and anything else that the store had is a download", async () => {
  const { send } = subject()
  const page = await send("GET", "/documents/a/pages/1/image", undefined, { "x-api-key": "every" })
  expect(page.headers.get("content-type")).toBe("image/png")
  expect(page.headers.get("content-disposition")).toBe("inline")
  const other = await send("GET", "/crop/a/1?bbox=0,0,1,1", undefined, { "x-api-key": "every" })
  expect(other.headers.get("content-type")).toBe("application/octet-stream")
  expect(other.headers.get("content-disposition")).toBe("attachment")
  for (const { headers } of [page, other]) expectProtected(headers, "picture")
  const same = await send("GET", "/documents/a/pages/1/image", undefined, {
    "x-api-key": "every",
    "if-none-match": PICTURE.tag,
  })
  expect(same.status).toBe(304)
  expectProtected(same.headers, "304")
})

test("a table is a download, and no cell of it a formula", async () => {
  const { parts } = subject()
  const { send } = subject({ documentPages: { ...parts.documentPages, table: async () => "a,=1+1\r\n-5,@x\r\n" } })
  const table = await send("GET", "/documents/a/tables/1.csv", undefined, { "x-api-key": "every" })
  expect(table.headers.get("content-disposition")).toBe('attachment; filename="1.csv"')
  expectProtected(table.headers, "table")
  expect(await table.text()).toBe("a,'=1+1\r\n-5,'@x\r\n")
})

test("the pages and their files have a policy of their own, in no frame either", async () => {
  const { send } = subject()
  const pages = [...new Set(webRoute("").routes.map(({ path }) => path))].filter((path) => !path.includes(":"))
  for (const path of [...pages.map((page) => page.replace("*", "a")), "/docs", "/docs/swagger-ui.js", "/docs/"]) {
    const answer = await send("GET", path)
    expect(answer.status, path).toBeLessThan(400)
    expectProtected(answer.headers, path, expect.stringContaining("default-src 'none'"))
    if (path !== "/docs/") expect(answer.headers.get("content-security-policy"), path).toContain("script-src 'self'")
  }
})

test("SERVE_API_DOCS=false: the reference and the contract are unknown paths, and nothing leads there", async () => {
  const { send } = subject({ serveApiDocs: false })
  const unknown = (await (await send("GET", "/nowhere")).json()) as object
  for (const path of ["/docs", "/docs/", "/docs/swagger-ui.js", "/docs/reference.js", "/openapi.json"]) {
    const answer = await send("GET", path)
    expect(answer.status, path).toBe(404)
    expect(await answer.json()).toEqual({ ...unknown, request_id: answer.headers.get("x-request-id") })
  }
  expect(JSON.stringify(unknown)).not.toContain("openapi")
  const metadata = await (await send("GET", "/.well-known/oauth-protected-resource")).text()
  expect(metadata).not.toContain("/docs")
})
