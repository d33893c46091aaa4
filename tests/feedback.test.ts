import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readJudgments } from "../lib/judgments.ts"
import { createFeedback, type Feedback } from "../lib/search/feedback.ts"
import { type Library, openLibrary } from "./library.ts"

// What people did with hits is their tenant's alone, bounded, and becomes judgments that `tune` reads.

let library: Library
let feedback: Feedback
let folder: string
beforeAll(async () => {
  library = await openLibrary()
  feedback = createFeedback(library.database)
  folder = await mkdtemp(join(tmpdir(), "concordance-feedback-"))
  for (const tenant of ["ours", "theirs"]) {
    await library.index(tenant, [
      { id: "lamp", content: "The lamp burns oil." },
      { id: "boat", content: "The boat leaves at six." },
      { id: `${tenant}-own`, content: "A note of its own." },
    ])
  }
})
afterAll(async () => {
  await library.close()
  await rm(folder, { recursive: true })
})

const note = (document_id: string, action: "click" | "helpful" | "not_helpful", query = "lamp oil", tenant = "ours") =>
  feedback.note(tenant, { query, document_id, action })
const rows = (text: string) => library.owner.session((session) => session.query(text))
const count = async (tenant: string) =>
  (await rows(`select count(*)::int as n from concordance.search_feedback where source_account_id = '${tenant}'`))[0]?.[
    "n"
  ]

test("it becomes one judgment for each query and document, the mean of what people said, and `tune` reads it", async () => {
  await note("lamp", "helpful")
  await note("lamp", "click", " lamp oil ")
  await note("boat", "not_helpful")
  await note("boat", "click", "when does it leave")
  const judgments = await feedback.judgments("ours")
  expect(judgments).toEqual([
    { query: "lamp oil", document: "boat", grade: 0 },
    { query: "lamp oil", document: "lamp", grade: 1.5 },
    { query: "when does it leave", document: "boat", grade: 1 },
  ])
  const path = join(folder, "judgments.jsonl")
  await writeFile(path, judgments.map((judgment) => JSON.stringify(judgment)).join("\n"))
  const { questions, judgements } = await readJudgments(path)
  expect(questions.map(({ text }) => text)).toEqual(["lamp oil", "when does it leave"])
  expect(judgements.get("lamp oil")?.get("lamp")).toBe(1.5)
  expect(await feedback.judgments("theirs")).toEqual([])
})

test("of what the tenant doesn't have nothing is noted: another's document, a deleted one, a chunk that isn't its", async () => {
  const before = await count("ours")
  await library.index("ours", [{ id: "gone", content: "Gone." }])
  await library.documents.delete("ours", "gone")
  for (const id of ["theirs-own", "nobodys", "gone"]) {
    await expect(note(id, "click")).rejects.toMatchObject({ code: "not_found" })
  }
  const chunk = (chunk_id: string) =>
    feedback.note("ours", { query: "x", document_id: "lamp", chunk_id, action: "click" })
  await expect(chunk("c0777")).rejects.toMatchObject({ code: "not_found" })
  expect(await count("ours")).toBe(before)
  await chunk("c0001")
  expect(await count("ours")).toBe(Number(before) + 1)
})

test("a document that was deleted since is judged no more", async () => {
  await library.index("ours", [{ id: "passing", content: "Here for a while." }])
  await note("passing", "helpful", "a while")
  expect(await feedback.judgments("ours")).toContainEqual({ query: "a while", document: "passing", grade: 2 })
  await library.documents.delete("ours", "passing")
  expect((await feedback.judgments("ours")).map(({ document }) => document)).not.toContain("passing")
})

test("what is older than 180 days goes, and of the rest all but the latest; another tenant's stays", async () => {
  await note("lamp", "click", "theirs", "theirs")
  await rows(`update concordance.search_feedback set created_at = now() - interval '181 days' where query = 'theirs'`)
  for (let n = 0; n < 5; n++) await note("lamp", "click", `late ${n}`)
  await rows(`update concordance.search_feedback set created_at = now() - interval '181 days' where query = 'late 0'`)
  const age = (most: number) =>
    library.database.batch({ tenant: "ours" }, [{ text: "select age_feedback($1)", values: [most] }])
  const left = async () =>
    (await rows(`select query from concordance.search_feedback where query like 'late%' order by query`)).map(
      ({ query }) => query,
    )
  await age(100_000)
  expect(await left()).toEqual(["late 1", "late 2", "late 3", "late 4"])
  await age(2)
  expect(await left()).toEqual(["late 3", "late 4"])
  expect(await count("ours")).toBe(2)
  expect(await count("theirs")).toBe(1)
})
