import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type Verified, type VerifyOptions, verify } from "../lib/care/verify.ts"
import { createLog } from "../lib/log.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { recount } from "./word-counts.ts"

// `verify` finds what doesn't add up, finds nothing else, and mends what it says it mends.

const PAGES = Array.from({ length: 3 }, (_, i) => `Page ${i + 1} tells of the lighthouse and its lamp.`).join("\f")

let shelf: Ingesting
beforeEach(async () => {
  shelf = await openIngesting()
  for (const [tenant, id] of [
    ["ours", "register"],
    ["ours", "log"],
    ["theirs", "register"],
  ] as const) {
    await shelf.add(tenant, id, PAGES)
    await shelf.worker().run(tenant, id)
  }
  await shelf.index("ours", [
    { id: "note", title: "Note", content: "A note on ropes.", metadata: { kind: "note" } },
    {
      id: "letter",
      parents: [{ content: "A letter to the keeper, and its answer." }],
      chunks: [{ content: "A letter to the keeper.", parent: 0, entities: [{ name: "The Keeper", kind: "person" }] }],
    },
  ])
  await shelf.documents.delete("ours", "log")
  await shelf.worker().cleanUp("ours", "log")
})
afterEach(() => shelf.close())

const log = createLog({ level: "error", write: () => {} })
const check = (options: VerifyOptions = {}): Promise<Verified> =>
  verify({ ...shelf, log }, { olderThanMs: 0, ...options })
const kinds = async (options?: VerifyOptions) =>
  (await check(options)).problems.map(({ kind, tenant, count, documents, repaired }) =>
    [kind, tenant, count, ...documents, ...(repaired ? ["repaired"] : [])].join(" "),
  )

/** Breaks it, sees it found, mended, and gone. */
async function brokenBy(sql: readonly string[], found: string): Promise<void> {
  for (const text of sql) await shelf.rows(text)
  expect(await kinds()).toEqual([found])
  expect(await kinds({ repair: true })).toEqual([`${found} repaired`])
  expect(await kinds()).toEqual([])
}

test("nothing is wrong with what the product itself wrote, replaced and deleted", async () => {
  await shelf.add("ours", "register", `${PAGES}\fAnd a fourth page.`)
  expect(await kinds({ olderThanMs: 60_000 })).toEqual([])
  await shelf.worker().run("ours", "register")
  expect(await check()).toEqual({ problems: [], tenants: 2 })
})

test("rows that don't add up are found and mended: page counts, word counts, chunk numbers, entities", async () => {
  await brokenBy(
    ["update documents set page_count = 7 where source_account_id = 'ours' and id = 'register'"],
    "page_count ours 1 register",
  )
  const lamp = "lexicon = 'en' and lexeme = 'lamp' and source_account_id = 'ours'"
  await brokenBy(
    [
      "select compact_lexeme_counts('ours')",
      `update lexeme_counts set chunks = chunks + 5 where ${lamp}`,
      "insert into lexeme_count_deltas values ('ours', 'en', 'never', 2)",
    ],
    "word_counts ours 2",
  )
  expect((await recount(shelf)).disagreements).toEqual([])
  await brokenBy(["update documents set last_chunk = 0 where id = 'note'"], "last_chunk ours 1 note")
  await brokenBy(["delete from entities"], "entities ours 1 letter")
  expect(await shelf.rows("select name from entities")).toEqual([{ name: "The Keeper" }])
})

test("jobs and documents that nobody works on are found, and are worked on or named afterwards", async () => {
  await shelf.add("ours", "new", "A new page.")
  await shelf.rows(
    "update ingest_jobs set state = 'processing', worker = 'dead', lease_until = now() - interval '1 s' where document_id = 'new'",
  )
  await brokenBy([], "job_stuck ours 1 new")
  expect(await shelf.worker().run("ours", "new")).toBe("ready")
  await brokenBy(
    [
      "update documents set status = 'processing' where id in ('note', 'register') and source_account_id = 'ours'",
      "insert into documents (source_account_id, id, status) values ('ours', 'void', 'queued')",
      "update ingest_jobs set state = 'queued' where document_id = 'register' and source_account_id = 'theirs'",
      "update ingest_jobs set state = 'done' where document_id = 'register' and source_account_id = 'theirs'",
    ],
    "document_stuck ours 3 note register void",
  )
  const states = await shelf.rows(
    "select id, status, error is not null as told from documents where source_account_id = 'ours' and id in ('note', 'register', 'void') order by id",
  )
  expect(states).toEqual([
    { id: "note", status: "ready", told: false },
    { id: "register", status: "ready", told: false },
    { id: "void", status: "failed", told: true },
  ])
})

test("objects without rows are removed, objects of running work are not, and rows without objects are told by document", async () => {
  const png = { body: new Uint8Array(3), contentType: "image/png" }
  shelf.objects.held.set("pages/ours/register/99/p0001.png", png)
  shelf.objects.held.set("images/ours/gone/0a.png", png)
  await shelf.add("ours", "coming", PAGES)
  const [job] = await shelf.rows("select generation::text as generation from ingest_jobs where document_id = 'coming'")
  shelf.objects.held.set(`pages/ours/coming/${job?.["generation"]}/p0001.png`, png)
  await brokenBy([], "object_orphan ours 2")
  expect(await shelf.worker().run("ours", "coming")).toBe("ready")
  const pictures = [...shelf.objects.held.keys()].filter((key) => key.startsWith("pages/ours/register/"))
  await shelf.objects.delete(pictures.slice(0, 2))
  const missing = ["object_missing ours 2 register"]
  expect(await kinds()).toEqual(missing)
  expect(await kinds({ repair: true })).toEqual(missing)
  expect(await kinds({ tenants: ["theirs"] })).toEqual([])
})

test("chunks without their page, their parent or their vector are told by document", async () => {
  await shelf.rows("delete from pages where number = 2 and source_account_id = 'ours'")
  await shelf.rows("update documents set page_count = 2 where id = 'register' and source_account_id = 'ours'")
  await shelf.rows("delete from chunks where document_id = 'letter' and id like 'p%'")
  await shelf.rows(
    "delete from embeddings where chunk_key = (select min(key) from chunks where source_account_id = 'ours' and document_id = 'register' and searchable)",
  )
  const found = await kinds({ repair: true })
  expect(found.filter((line) => !line.startsWith("object"))).toEqual([
    expect.stringMatching(/^page_missing ours \d register$/),
    "parent_missing ours 1 letter",
    "vector_missing ours 1 register",
  ])
})

test("a tombstone with rows, leftovers of deletes and half a publication are found", async () => {
  await brokenBy(["update documents set status = 'deleted' where id = 'note'"], "tombstone ours 1 note")
  await shelf.documents.delete("ours", "register")
  expect(await kinds()).toContain("leftovers ours 1 register")
  await kinds({ repair: true })
  expect(await kinds()).toEqual([])
  expect([...shelf.objects.held.keys()].filter((key) => key.includes("/ours/"))).toEqual([])
  await shelf.rows(
    "insert into index_publications (source_account_id, target, document_id) values ('ours', 'qdrant', 'letter')",
  )
  expect(await kinds({ repair: true })).toEqual(["publication ours 1 letter"])
})

test("objects of a tenant that the database doesn't know, and temporary files a day old, are told", async () => {
  shelf.objects.held.set("uploads/nobody/d/f", { body: new Uint8Array(3), contentType: "text/plain" })
  expect(await kinds()).toEqual(["object_of_nobody  1"])
  await shelf.objects.delete(["uploads/nobody/d/f"])
  const tempFolder = await mkdtemp(join(tmpdir(), "verify-"))
  for (const name of ["old", "new"]) await writeFile(join(tempFolder, name), "x")
  const yesterday = Date.now() / 1_000 - 90_000
  await utimes(join(tempFolder, "old"), yesterday, yesterday)
  const told = async (repair: boolean) =>
    (await verify({ ...shelf, log, tempFolder }, { repair })).problems.map(({ kind, count }) => [kind, count])
  expect(await told(true)).toEqual([["temporary_file", 1]])
  expect(await told(false)).toEqual([])
  await rm(tempFolder, { recursive: true })
})
