import { expect, test } from "vitest"
import { createTestApp } from "./test-app.ts"

const ROUTES = ["/entities", "/entities/person%3Aa/mentions", "/anomalies"]

test("entities and anomalies are asked for with bounds, filters and the key's tenant", async () => {
  const { send, reached } = createTestApp({ policy: "keys" })
  const key = { "x-api-key": "acme" }
  await send("GET", "/entities?q=Am%C3%A9lia&kind=person&limit=7&cursor=x", undefined, key)
  await send("GET", "/entities/person%3Aa%2Fb/mentions", undefined, key)
  await send("GET", "/anomalies?document=a%2Fb&kind=altered", undefined, key)
  expect(reached).toEqual([
    { tenant: "acme", request: { limit: 7, cursor: "x", q: "Amélia", kind: "person" } },
    { tenant: "acme", request: { id: "person:a/b", limit: 50 } },
    { tenant: "acme", request: { limit: 50, document: "a/b", kind: "altered" } },
  ])
})

test.each(ROUTES)("%s needs a key with the scope search, and refuses limits out of bounds", async (route) => {
  const { send, reached } = createTestApp({ policy: "keys" })
  expect((await send("GET", route)).status).toBe(401)
  for (const limit of ["0", "201", "-1", "1e2", "x"]) {
    const response = await send("GET", `${route}?limit=${limit}`, undefined, { "x-api-key": "reader" })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ field: "limit" }] })
  }
  expect(reached).toEqual([])
  expect((await send("DELETE", route, undefined, { "x-api-key": "reader" })).status).toBe(405)
})

test.each([
  ["/entities?kind=Bad%20Kind", "kind"],
  [`/entities?q=${"x".repeat(201)}`, "q"],
  ["/entities?q=%00", "q"],
  [`/entities/${"x".repeat(501)}/mentions`, "id"],
  ["/anomalies?document=..", "document"],
  [`/anomalies?cursor=${"x".repeat(12_001)}`, "cursor"],
])("%# is refused, and the wrong parameter named", async (path, field) => {
  const { send, reached } = createTestApp()
  const response = await send("GET", path)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: "invalid_request", errors: [{ field }] })
  expect(reached).toEqual([])
})
