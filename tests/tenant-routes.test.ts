import { afterAll, beforeAll, expect, test } from "vitest"
import { type Served, serve } from "./served.ts"

// Two tenants with the same ids, each with its key: no route lets one see, change or even notice the other's.

let served: Served
const keys: Record<string, { readonly "x-api-key": string }> = {}

beforeAll(async () => {
  served = await serve({ policy: "keys" })
  for (const tenant of ["left", "right"]) {
    const { key } = await served.runtime.keys.create({ name: tenant, tenants: [tenant] })
    keys[tenant] = { "x-api-key": key }
    const entities = [{ name: `${tenant} keeper`, kind: "person" }]
    const anomalies = [{ kind: "note", note: tenant }]
    const chunk = { content: `the ${tenant} secret of the harbour`, entities, anomalies }
    const document = { id: "same", title: tenant, chunks: [chunk] }
    expect((await served.post("/index", document, keys[tenant])).status).toBe(201)
  }
})
afterAll(() => served.close())

test.each(["left", "right"])("%s finds its own document alone, without naming a tenant", async (tenant) => {
  for (const strategy of ["rrf", "weighted", "semantic", "lexical", "two_pass"]) {
    const response = await served.post("/search", { query: "secret harbour", strategy }, keys[tenant])
    const { results } = (await response.json()) as { results: { title: string; source_account_id: string }[] }
    expect(results.map(({ title, source_account_id }) => [title, source_account_id])).toEqual([[tenant, tenant]])
  }
  const listed = await (await served.send("GET", "/documents", undefined, keys[tenant])).json()
  expect(listed).toMatchObject({ documents: [{ id: "same", title: tenant }] })
  const totals = await (await served.send("GET", "/collection", undefined, keys[tenant])).json()
  expect(totals).toMatchObject({ documents: 1, passages: 1 })
  const one = await (await served.send("GET", "/documents/same", undefined, keys[tenant])).json()
  expect(one).toMatchObject({ title: tenant })
})

test("each lists its own entities and anomalies; the other's are not found, as what never was", async () => {
  const get = async (path: string) => {
    const response = await served.send("GET", path, undefined, keys["left"])
    return { status: response.status, body: await response.json() }
  }
  expect(await get("/entities")).toMatchObject({ status: 200, body: { entities: [{ id: "person:left-keeper" }] } })
  expect(await get("/anomalies")).toMatchObject({ status: 200, body: { anomalies: [{ note: "left" }] } })
  expect(await get("/entities/person%3Aleft-keeper/mentions")).toMatchObject({
    status: 200,
    body: { mentions: [{ document_id: "same", chunk_id: "c0001" }] },
  })
  const foreign = await get("/entities/person%3Aright-keeper/mentions")
  expect(foreign).toMatchObject({ status: 404, body: { code: "not_found" } })
  const { request_id: _, ...never } = (await get("/entities/person%3Anobody/mentions")).body as { request_id: string }
  expect(foreign.body).toMatchObject(never)
  expect((await get("/anomalies?document=nowhere")).status).toBe(404)
})

test("asking for the other tenant, or for one that does not exist, is refused alike", async () => {
  const answers: string[] = []
  for (const source_account_id of ["right", "nobody"]) {
    for (const response of [
      await served.post("/search", { query: "secret", source_account_id }, keys["left"]),
      await served.post("/index", { id: "same", content: "taken over", source_account_id }, keys["left"]),
      await served.send("GET", `/documents?source_account_id=${source_account_id}`, undefined, keys["left"]),
      await served.send("GET", `/collection?source_account_id=${source_account_id}`, undefined, keys["left"]),
      await served.send("GET", `/entities?source_account_id=${source_account_id}`, undefined, keys["left"]),
      await served.send("GET", `/anomalies?source_account_id=${source_account_id}`, undefined, keys["left"]),
      await served.send("DELETE", `/documents/same?source_account_id=${source_account_id}`, undefined, keys["left"]),
    ]) {
      expect(response.status).toBe(403)
      answers.push((await response.text()).replace(/"request_id":"[^"]+"/, ""))
    }
  }
  expect(answers.slice(0, 7)).toEqual(answers.slice(7))
})

test("a batch line for the other tenant fails, and nothing of the other's changes", async () => {
  const line = JSON.stringify({ id: "same", content: "taken over", source_account_id: "right" })
  const response = await served.post("/index/batch", line, { ...keys["left"], "content-type": "application/x-ndjson" })
  expect(await response.json()).toMatchObject({ line: 1, status: "failed", code: "forbidden" })
  const right = await (await served.post("/search", { query: "secret" }, keys["right"])).json()
  expect(right).toMatchObject({ results: [{ content: "the right secret of the harbour" }] })
})

test("deleting takes the tenant's own document and leaves its namesake", async () => {
  expect((await served.send("DELETE", "/documents/same", undefined, keys["left"])).status).toBe(200)
  expect((await served.send("GET", "/documents/same", undefined, keys["left"])).status).toBe(404)
  expect((await served.send("GET", "/documents/same", undefined, keys["right"])).status).toBe(200)
})

test("without a key nothing opens, and a revoked one closes", async () => {
  expect((await served.post("/search", { query: "secret" })).status).toBe(401)
  const { key, record } = await served.runtime.keys.create({ name: "brief" })
  await served.runtime.keys.revoke(record.id)
  expect((await served.post("/search", { query: "secret" }, { "x-api-key": key })).status).toBe(401)
})
