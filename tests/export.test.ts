import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { exportTenants } from "../lib/care/export-tenants.ts"
import { writeLines } from "../lib/care/line-files.ts"
import { type RestoreOptions, restoreExport } from "../lib/care/restore-export.ts"
import { verify } from "../lib/care/verify.ts"
import { createImportBundle } from "../lib/documents/bundles/import-bundle.ts"
import { createDocumentPages } from "../lib/documents/document-pages.ts"
import { createPagePictures } from "../lib/documents/page-pictures.ts"
import { createLog } from "../lib/log.ts"
import { randomFrom } from "../lib/random.ts"
import { applyTuning, readTunings } from "../lib/search/tune/tenant-tunings.ts"
import { createWebhookEndpoints } from "../lib/webhooks/webhook-endpoints.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { randomDocument, recount } from "./word-counts.ts"
import { createWordEmbedder } from "./word-embedder.ts"

// What was exported and restored is what was there: to the score, the id and the byte.

const PAGES = Array.from({ length: 3 }, (_, i) => `Page ${i + 1} tells of the lighthouse and its lamp.`).join("\f")
const TUNING = {
  ...{ tenant: "ours", embeddingModel: "test/words", alpha: 0.3, reranker: null, rerankShare: null },
  evidence: { questions: 60 },
}
const BUNDLE = "samples/bundles/andorinha-inquiry-1934"

let source: Ingesting
let folder: string
const opened: Ingesting[] = []

async function fresh(): Promise<Ingesting> {
  const shelf = await openIngesting()
  opened.push(shelf)
  return shelf
}

beforeAll(async () => {
  source = await fresh()
  for (const tenant of ["ours", "theirs"]) {
    await source.add(tenant, "register", PAGES)
    await source.worker().run(tenant, "register")
    await source.add(tenant, "register", `${PAGES}\fA fourth page, of storms.`)
    await source.worker().run(tenant, "register")
  }
  const cleanUp = (whose: string, id: string) => source.worker().cleanUp(whose, id)
  await createImportBundle({ ...source, embedder: createWordEmbedder(), cleanUp })("ours", BUNDLE)
  const random = randomFrom(7)
  await source.index(
    "ours",
    Array.from({ length: 12 }, (_, i) => ({
      ...randomDocument(random, `letter ${i}`),
      metadata: { n: 1.1, big: 12345678901234 },
    })),
  )
  await source.index("ours", [{ id: "shrinking", chunks: ["one", "two", "three"].map((content) => ({ content })) }])
  await source.index("ours", [{ id: "shrinking", chunks: [{ content: "one" }] }])
  await source.index("ours", [{ id: "gone", chunks: [{ content: "a" }, { content: "b" }] }])
  await source.documents.delete("ours", "gone")
  await source.worker().cleanUp("ours", "gone")
  await source.add("ours", "waiting", "This one waits.")
  await applyTuning(source.owner, TUNING)
  folder = await mkdtemp(join(tmpdir(), "concordance-export-"))
})
afterAll(async () => {
  for (const shelf of opened) await shelf.close()
  await rm(folder, { recursive: true })
})

const log = createLog({ level: "error", write: () => {} })
const depsOf = (shelf: Ingesting) => ({
  ...shelf,
  log,
  cleanUp: (tenant: string, id: string) => shelf.worker().cleanUp(tenant, id),
})
const restore = (shelf: Ingesting, from: string, options?: RestoreOptions) =>
  restoreExport(depsOf(shelf), join(folder, from), options)
const problemsOf = async (shelf: Ingesting) => (await verify({ ...shelf, log }, { olderThanMs: 0 })).problems

let count = 0
async function exported(options: Parameters<typeof exportTenants>[2] = {}): Promise<string> {
  const name = `export-${++count}`
  await exportTenants(source, join(folder, name), options)
  return name
}

const QUESTIONS = ["lighthouse lamp", "inquérito do naufrágio", "word1 word2 -word5"]

/** All that a search says, for each of many questions and ways. */
async function answers(shelf: Ingesting, tenant: string) {
  const found = []
  for (const query of QUESTIONS) {
    for (const strategy of ["rrf", "weighted"] as const) {
      const { results } = await shelf.search(tenant, { query, strategy, top_k: 20, group_by: "chunk" })
      found.push(
        // Links name the tenant and the document's generation.
        results.map(({ crop_url = "", page_url = "", ...hit }) => ({
          ...hit,
          source_account_id: "",
          links: [crop_url, page_url].map((url) => url.replace(/(v|source_account_id)=[^&]*/g, "")),
        })),
      )
    }
  }
  expect(found.flat().length).toBeGreaterThan(40)
  return found
}

async function crop(shelf: Ingesting, tenant: string, page: number) {
  const pictures = createPagePictures({ pages: createDocumentPages(shelf.database), objects: shelf.objects })
  const request = { box: { x0: 0, y0: 0, x1: 1, y1: 0.5 }, highlight: false, format: "png" as const }
  return Buffer.from((await (await pictures.part(tenant, "register", page, request)).read()).bytes).toString("base64")
}

/** Every exported row of a tenant, as it stands in the database. */
async function rowsOf(shelf: Ingesting, tenant: string) {
  const tables = ["documents", "chunks", "pages", "document_tables", "entities", "entity_mentions", "enrichments"]
  const rows = []
  for (const table of tables) {
    const text = `select (to_jsonb(t) - 'key')::text as row from ${table} t where source_account_id = $1 order by 1`
    rows.push(...(await shelf.rows(text, [tenant])).map(({ row }) => `${table} ${row}`))
  }
  return rows
}

test("an export restored into an empty installation gives the same hits, scores, crops, rows and counts", async () => {
  const copy = await fresh()
  const told = await restore(copy, await exported())
  expect(told).toMatchObject({ tenants: 2, objectsMissing: 0, replaced: 0 })
  expect(await answers(copy, "ours")).toEqual(await answers(source, "ours"))
  expect(await crop(copy, "ours", 4)).toBe(await crop(source, "ours", 4))
  expect(await rowsOf(copy, "ours")).toEqual(await rowsOf(source, "ours"))
  expect(await rowsOf(copy, "theirs")).toEqual(await rowsOf(source, "theirs"))
  expect((await recount(copy)).disagreements).toEqual([])
  expect([...copy.objects.held].sort()).toEqual([...source.objects.held].sort())
  expect(await problemsOf(copy)).toEqual([])
})

test("what a tenant is tuned to is restored under its new name, and is left as it is where the tenant was tuned here", async () => {
  const copy = await fresh()
  const name = await exported()
  const renamed = new Map([["ours", "moved"]])
  await restore(copy, name, { tenants: renamed })
  expect(await readTunings(copy.owner)).toMatchObject([{ ...TUNING, tenant: "moved" }])
  await applyTuning(copy.owner, { ...TUNING, tenant: "moved", alpha: 0.8 })
  await restore(copy, name, { tenants: renamed, replace: true })
  expect(await readTunings(copy.owner)).toMatchObject([{ tenant: "moved", alpha: 0.8 }])
})

test("an export of before there were tunings is restored", async () => {
  const copy = await fresh()
  const name = await exported()
  const path = join(folder, name, "manifest.json")
  const { tables, ...manifest } = JSON.parse(await readFile(path, "utf8"))
  const { search_tunings: _, ...before } = tables
  await writeFile(path, JSON.stringify({ ...manifest, tables: before }))
  await restore(copy, name)
  expect(await readTunings(copy.owner)).toEqual([])
})

test("chunk numbers that were ever given are not given again, and a waiting upload is read after the restore", async () => {
  const copy = await fresh()
  await restore(copy, await exported())
  await copy.index("ours", [{ id: "shrinking", chunks: [{ content: "one" }, { content: "another" }] }])
  await copy.index("ours", [{ id: "gone", chunks: [{ content: "c" }] }])
  const ids = await copy.rows(
    "select document_id as d, id from chunks where document_id in ('shrinking', 'gone') order by 1, 2",
  )
  expect(ids).toEqual([
    { d: "gone", id: "c0003" },
    { d: "shrinking", id: "c0001" },
    { d: "shrinking", id: "c0004" },
  ])
  expect(await copy.worker().run("ours", "waiting")).toBe("ready")
  expect(await copy.worker().run("ours", "register")).toBe("none")
})

test("beside other tenants and under another name: theirs stay as they are, objects go to the new name's folder", async () => {
  const copy = await fresh()
  await copy.index("ours", [{ id: "register", content: "Another register of ours." }])
  const before = await rowsOf(copy, "ours")
  await restore(copy, await exported({ tenants: ["ours"] }), { tenants: new Map([["ours", "Новая/../ours"]]) })
  expect(await rowsOf(copy, "ours")).toEqual(before)
  expect(await answers(copy, "Новая/../ours")).toEqual(await answers(source, "ours"))
  expect(await crop(copy, "Новая/../ours", 2)).toBe(await crop(source, "ours", 2))
  expect([...copy.objects.held.keys()].filter((key) => key.includes("/ours/"))).toEqual([])
  expect(await problemsOf(copy)).toEqual([])
})

test("a document that is there is not overwritten unless asked, and then its pictures are those of the export", async () => {
  const copy = await fresh()
  await copy.add("ours", "register", "Old first.\fOld second.")
  await copy.worker().run("ours", "register")
  const name = await exported()
  const before = await rowsOf(copy, "ours")
  await expect(restore(copy, name)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("register"),
  })
  expect(await rowsOf(copy, "ours")).toEqual(before)
  for (const _ of [1, 2]) {
    await restore(copy, name, { replace: true })
    expect(await crop(copy, "ours", 1)).toBe(await crop(source, "ours", 1))
    expect(await answers(copy, "ours")).toEqual(await answers(source, "ours"))
    expect(await problemsOf(copy)).toEqual([])
    expect((await recount(copy)).disagreements).toEqual([])
  }
})

test("nobody is told that what a restore replaces was deleted, and everybody of a delete that follows", async () => {
  const copy = await fresh()
  await copy.add("ours", "register", "Old first.")
  await copy.worker().run("ours", "register")
  const events = ["document.ready", "document.failed", "document.deleted"] as const
  const hosts = ["hooks.example"]
  await createWebhookEndpoints(copy.owner, hosts).add({ tenant: "ours", url: "https://hooks.example/", events })
  const told = async () => (await copy.rows("select event from webhook_deliveries")).map(({ event }) => event)
  await restore(copy, await exported(), { replace: true })
  expect(await told()).toEqual([])
  await copy.worker().delete("ours", "register")
  expect(await told()).toEqual(["document.deleted"])
})

test("an export that is not whole, changed or of a newer release is refused, and nothing of it is there", async () => {
  const copy = await fresh()
  const spoiled = async (spoil: (path: string) => Promise<void>) => {
    const name = await exported({ tenants: ["theirs"] })
    await spoil(join(folder, name))
    const error = await restore(copy, name).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: "invalid_request" })
    expect(await copy.rows("select id from documents")).toEqual([])
    return String(error)
  }
  const editManifest = (change: (manifest: Record<string, never>) => object) => async (path: string) => {
    const file = join(path, "manifest.json")
    await writeFile(file, JSON.stringify(change(JSON.parse(await readFile(file, "utf8")))))
  }
  const withLines = (lines: (path: string) => Promise<readonly string[]>) => async (path: string) => {
    const written = await writeLines(join(path, "chunks.ndjson.gz"), [await lines(path)] as never)
    await editManifest(({ tables, ...rest }) => ({
      ...rest,
      tables: { ...(tables as unknown as object), chunks: { file: "chunks.ndjson.gz", ...written } },
    }))(path)
  }
  expect(await spoiled(editManifest((manifest) => ({ ...manifest, version: 2 })))).toContain("update Concordance")
  expect(await spoiled((path) => writeFile(join(path, "chunks.ndjson.gz"), "x"))).toContain(
    "chunks.ndjson.gz has another checksum",
  )
  expect(await spoiled((path) => rm(join(path, "pages.ndjson.gz")))).toContain("pages.ndjson.gz is missing")
  expect(await spoiled(withLines(async () => ["{}"]))).toContain("chunks.ndjson.gz, line 1,")
  const stray = JSON.stringify({ source_account_id: "theirs", document_id: "none", id: "c1" })
  expect(await spoiled(withLines(async () => [stray]))).toContain("a line of chunks.ndjson.gz doesn't fit")
  const future = JSON.stringify({ source_account_id: "theirs", document_id: "register", id: "c1", mood: 1 })
  expect(await spoiled(withLines(async () => [future]))).toContain("a column mood")
  const [picture = ""] = (await readdir(join(folder, "export-1/objects/pages"), { recursive: true })).filter(
    (path) => path.endsWith(".png") && path.startsWith("theirs"),
  )
  expect(await spoiled((path) => writeFile(join(path, "objects/pages", picture), "x"))).toContain("another checksum")
  expect([...copy.objects.held.keys()]).toEqual([])
})

test("an interrupted export has no manifest, is no export to anybody, and is finished by running it again", async () => {
  const path = join(folder, "interrupted")
  const stop = new AbortController()
  const onProgress = (what: string) => {
    if (what === "embeddings") stop.abort(new Error("stopped"))
  }
  await expect(exportTenants(source, path, { onProgress, signal: stop.signal })).rejects.toThrow("stopped")
  expect(await readdir(path)).not.toContain("manifest.json")
  const manifest = await exportTenants(source, path)
  expect(manifest.objects).toMatchObject({ included: true, missing: 0 })
  await expect(exportTenants(source, path)).rejects.toMatchObject({ code: "conflict" })
  await writeFile(join(folder, "somebody's"), "x")
  await expect(exportTenants(source, folder)).rejects.toMatchObject({ code: "conflict" })
})

test("without objects they are listed with size and digest, and a restore takes those that are there already", async () => {
  const name = await exported({ withoutObjects: true, tenants: ["theirs"] })
  expect(await readdir(join(folder, name, "objects"), { recursive: true })).not.toContainEqual(
    expect.stringMatching(/png/),
  )
  const copy = await fresh()
  const without = await restore(copy, name)
  expect(without.objects).toBe(0)
  expect(without.objectsMissing).toBe(5)
  for (const [key, object] of source.objects.held) copy.objects.held.set(key, object)
  expect(
    await restore(copy, name, { replace: false, tenants: new Map([["theirs", "theirs"]]) }).catch(
      (error: Error) => error.message,
    ),
  ).toContain("register")
})
