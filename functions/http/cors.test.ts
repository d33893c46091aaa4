import { expect, test } from "vitest"
import { parseConfig } from "../../lib/config.ts"
import { AppError } from "../../lib/errors.ts"
import { createTestApp } from "./test-app.ts"

const APP = "https://app.example.org"
const corsOrigins = [APP, "http://localhost:5173"]
/** Answers of every kind: found, wrong, unknown path, wrong method, no key, failed, a page, the MCP server. */
const ASKED = [
  ["POST", "/search", '{"query":"x"}', "acme"],
  ["POST", "/search", "{", "acme"],
  ["GET", "/nowhere", undefined, "acme"],
  ["PUT", "/search", undefined, "acme"],
  ["GET", "/documents", undefined, "wrong"],
  ["GET", "/entities", undefined, "acme"],
  ["GET", "/openapi.json", undefined, undefined],
  ["GET", "/", undefined, undefined],
  ["POST", "/mcp", '{"jsonrpc":"2.0","id":1,"method":"ping"}', "acme"],
] as const
const LIKE_IT = [
  "https://app.example.org.evil.example",
  "https://evil.example",
  "http://app.example.org",
  `${APP}:8443`,
  "null",
]

function ofCors(headers: Headers): string[] {
  return [...headers.keys()].filter((name) => name.startsWith("access-control-"))
}

const preflight = (origin: string) => ({
  origin,
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization, content-type",
})

test.each(ASKED)(
  "%s %s of a listed origin can be read, with what helps to debug it, and never with credentials",
  async (...asked) => {
    const { send } = createTestApp({
      corsOrigins,
      entities: {
        list: () => Promise.reject(new Error("unforeseen")),
        mentions: () => Promise.reject(new AppError("not_found", "")),
        rebuild: () => Promise.reject(new Error("unused")),
      },
    })
    const [method, path, body, key] = asked
    const { headers } = await send(method, path, body, { origin: APP, ...(key && { "x-api-key": key }) })
    expect(headers.get("access-control-allow-origin")).toBe(APP)
    expect(headers.get("vary")).toMatch(/(?:^|, )Origin/)
    for (const name of ["x-request-id", "Server-Timing", "Retry-After", "RateLimit"]) {
      expect(headers.get("access-control-expose-headers")).toContain(name)
    }
    expect(headers.get("access-control-allow-credentials")).toBeNull()
  },
)

test.each(LIKE_IT)("the origin %s gets no header of CORS from any route, and no preflight", async (origin) => {
  const { send } = createTestApp({ corsOrigins })
  for (const [method, path, body, key] of ASKED) {
    const { headers } = await send(method, path, body, { origin, ...(key && { "x-api-key": key }) })
    expect(ofCors(headers), path).toEqual([])
    expect(headers.get("vary"), path).toMatch(/(?:^|, )Origin/)
    const asked = await send("OPTIONS", path, undefined, preflight(origin))
    expect(ofCors(asked.headers), path).toEqual([])
    expect(asked.ok, path).toBe(false)
  }
})

test("a preflight of a listed origin needs no key and reaches no route", async () => {
  const { send, reached } = createTestApp({ corsOrigins, policy: "keys" })
  const asked = await send("OPTIONS", "/search", undefined, preflight("http://localhost:5173"))
  expect(asked.status).toBe(204)
  expect(asked.headers.get("access-control-allow-origin")).toBe("http://localhost:5173")
  expect(asked.headers.get("access-control-allow-methods")).toContain("POST")
  expect(asked.headers.get("access-control-allow-headers")).toMatch(/Authorization.*x-api-key.*Content-Type/)
  expect(asked.headers.get("access-control-allow-credentials")).toBeNull()
  expect(reached).toEqual([])
})

test("a page of a listed origin needs a key, even where programs on this machine need none", async () => {
  const { post, reached } = createTestApp({ corsOrigins, policy: "loopback" })
  expect((await post("/search", { query: "x" }, { origin: APP })).status).toBe(403)
  expect(reached).toEqual([])
  expect((await post("/search", { query: "x" }, { origin: APP, "x-api-key": "acme" })).status).toBe(200)
})

test("without a list no answer has a header of CORS, and none varies by origin", async () => {
  const { send } = createTestApp()
  const { headers } = await send("GET", "/openapi.json", undefined, { origin: APP })
  expect(ofCors(headers)).toEqual([])
  expect(headers.get("vary")).toBeNull()
})

test.each([
  "*",
  "null",
  "app.example.org",
  `${APP}/`,
  `${APP}/path`,
  "https://*.example.org/",
  `${APP} ${APP}`,
  "ftp://a.example",
  "HTTPS://APP.EXAMPLE.ORG",
  "https://u:p@app.example.org",
])("CORS_ORIGINS=%s is refused at the start", (value) => {
  expect(() => parseConfig({ CORS_ORIGINS: value })).toThrow(/CORS_ORIGINS must be origins like/)
})

test("CORS_ORIGINS is a list with commas, and empty where it is unset", () => {
  expect(parseConfig({ CORS_ORIGINS: ` ${APP}, http://localhost:5173,` }).corsOrigins).toEqual(corsOrigins)
  expect(parseConfig({}).corsOrigins).toEqual([])
})
