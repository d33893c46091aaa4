import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestApp } from "../functions/http/test-app.ts"
import { type CountCollection, createCountCollection } from "../lib/documents/collection.ts"
import { randomFrom } from "../lib/random.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { randomDocument } from "./word-counts.ts"

let shelf: Ingesting
let count: CountCollection
beforeAll(async () => {
  shelf = await openIngesting()
  count = createCountCollection(shelf.database)
})
afterAll(() => shelf.close())

const NOTHING = { documents: 0, passages: 0, pages: 0, waiting: 0, failed: 0, failures: [] }

test("passages are counted to the last one in any languages, after any writes, each tenant's alone", async () => {
  const random = randomFrom(7)
  for (const tenant of ["left", "right"]) {
    for (let n = 0; n < 12; n++) await shelf.index(tenant, [randomDocument(random, `d${n % 9}`)])
  }
  // A chunk in two languages is counted in both, one with both in one lexicon once.
  const translation = { language: "pt", content: "O farol fica no cabo." }
  await shelf.index("left", [
    { id: "both", chunks: [{ content: "The light is on the cape.", language: "en", translation }] },
    {
      id: "one",
      chunks: [{ content: "Der Turm.", language: "de", translation: { language: "fr", content: "La tour." } }],
    },
    { id: "parent", parents: [{ content: "whole" }], chunks: [{ content: "part", parent: 0 }] },
  ])
  await shelf.documents.delete("left", "d1")
  const exact = async (tenant: string) => {
    const [row] = await shelf.rows(
      `select count(*)::int as passages, (select count(*)::int from documents
         where source_account_id = $1 and status <> 'deleted') as documents
         from chunks where source_account_id = $1 and searchable`,
      [tenant],
    )
    return row
  }
  for (const tenant of ["left", "right"]) {
    expect(await count(tenant)).toMatchObject((await exact(tenant)) ?? {})
    await shelf.database.batch({ tenant }, [{ text: "select compact_lexeme_counts($1)", values: [tenant] }])
    expect(await count(tenant)).toMatchObject((await exact(tenant)) ?? {})
  }
  expect((await count("left")).documents).toBe(11)
  expect(await count("nobody")).toEqual(NOTHING)
  expect(await count("")).toEqual(NOTHING)
})

test("uploads that wait, pages that were read and failures with their reasons are told, and go with their document", async () => {
  await shelf.add("jobs", "log", "first page\fsecond page")
  await shelf.add("jobs", "sealed", "locked")
  expect(await count("jobs")).toMatchObject({ documents: 2, waiting: 2, pages: 0, failed: 0, failures: [] })
  await shelf.worker().run("jobs", "log")
  await shelf.worker().run("jobs", "sealed")
  const error = { code: "document_encrypted", message: "This file needs a password" }
  const told = await count("jobs")
  expect(told).toMatchObject({ documents: 2, waiting: 0, pages: 2, failed: 1, failures: [{ id: "sealed", error }] })
  expect(Date.parse(told.failures[0]?.failed_at ?? "")).toBeGreaterThan(Date.now() - 600_000)
  expect(await count("elsewhere")).toEqual(NOTHING)

  // Another file under the same id takes the failure off; so does a delete.
  await shelf.add("jobs", "sealed", "an open one")
  expect(await count("jobs")).toMatchObject({ waiting: 1, failed: 0, failures: [] })
  await shelf.add("jobs", "other", "locked too")
  await shelf.worker().run("jobs", "other")
  expect((await count("jobs")).failed).toBe(1)
  await shelf.worker().delete("jobs", "other")
  expect(await count("jobs")).toMatchObject({ documents: 2, failed: 0, failures: [] })
})

test("GET /collection is the caller's tenant's, needs the scope to search, and says how large a file may be", async () => {
  const { send, reached } = createTestApp({ policy: "keys" })
  const asked = await send("GET", "/collection", undefined, { "x-api-key": "acme" })
  expect(asked.status).toBe(200)
  expect(await asked.json()).toEqual({ ...NOTHING, upload: { bytes_max: 10_000, form_bytes_max: 10_000 } })
  expect(reached).toEqual([{ tenant: "acme", request: {} }])
  expect((await send("GET", "/collection")).status).toBe(401)
  const foreign = await send("GET", "/collection?source_account_id=primary", undefined, { "x-api-key": "acme" })
  expect(foreign.status).toBe(403)
  expect(reached).toHaveLength(1)
})
