import { Validator } from "@seriousme/openapi-schema-validator"
import { expect, test } from "vitest"
import { createTestApp } from "./test-app.ts"
import { webRoute } from "./web-route.ts"

async function document() {
  const { app, send } = createTestApp()
  const response = await send("GET", "/openapi.json")
  const json = (await response.json()) as { paths: Record<string, Record<string, object>>; components: object }
  return { app, json }
}

test("/openapi.json is a valid OpenAPI 3.1 document, its references included", async () => {
  const { json } = await document()
  const validator = new Validator()
  const result = await validator.validate(structuredClone(json))
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
  expect(validator.version).toBe("3.1")
  const schemas = Object.keys((json.components as { schemas: object }).schemas)
  for (const [, name] of JSON.stringify(json).matchAll(/"\$ref":"([^"]+)"/g)) {
    expect(schemas.map((schema) => `#/components/schemas/${schema}`)).toContain(name)
  }
})

/** Their contract is MCP's. */
const MCP = ["/mcp", "/sse", "/messages"]

test("it names every route and no other", async () => {
  const { app, json } = await document()
  const pages = new Set(webRoute("").routes.map(({ path }) => path))
  const ofPages = (path: string) => pages.has(path) || /^\/(?:docs(?:\/.*)?|openapi\.json)$/.test(path)
  const served = app.routes
    .filter(({ method, path }) => method !== "ALL" && !ofPages(path) && !MCP.includes(path))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
  const stated = Object.entries(json.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(stated.sort()).toEqual([...new Set(served)].sort())
})

test("limits and defaults in it are those that validate", async () => {
  const { json } = await document()
  expect(json.components).toMatchObject({
    schemas: { SearchRequest: { properties: { top_k: { minimum: 1, maximum: 200, default: 10 } } } },
  })
})
