import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type EraseOptions, eraseTenant } from "../lib/care/erase-tenant.ts"
import { listTenants } from "../lib/care/tenants.ts"
import { verify } from "../lib/care/verify.ts"
import { createKeyRing } from "../lib/keys/key-ring.ts"
import { createLog } from "../lib/log.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { testServerUrl } from "./postgres-server.ts"
import { createTextFileReader } from "./text-file-reader.ts"
import { recount } from "./word-counts.ts"

// After a tenant is erased, nothing of it is found anywhere, nothing that comes late changes that, and nobody else lost anything.

/** Stands in the tenant's name, its ids, and all that it says. */
const MARK = "zanzibarmark"
const TENANT = `${MARK}-customer`
const PAGES = [1, 2, 3].map((page) => `Page ${page} of the ${MARK}.`).join("\f")

let shelf: Ingesting
let keys: { readonly alone: string; readonly shared: string; readonly every: string }

beforeEach(async () => {
  shelf = await openIngesting()
  for (const tenant of [TENANT, "other"]) {
    const word = tenant === TENANT ? MARK : "plain"
    await shelf.add(tenant, `${word}-file`, PAGES.replaceAll(MARK, word), { metadata: { [word]: word } })
    await shelf.worker().run(tenant, `${word}-file`)
    await shelf.index(tenant, [
      {
        id: `${word}-note`,
        title: word,
        metadata: { word },
        chunks: [
          {
            content: `A note of ${word}.`,
            entities: [{ name: word, kind: "person" }],
            translation: { language: "pt", content: `Nota de ${word}.` },
          },
        ],
      },
    ])
    await shelf.add(tenant, `${word}-waiting`, `${word} waits`)
  }
  await shelf.index(TENANT, [{ id: `${MARK}-old`, content: MARK }])
  await shelf.documents.delete(TENANT, `${MARK}-old`)
  const insert = (table: string, columns: string, values: string) =>
    shelf.rows(`insert into ${table} (source_account_id, ${columns}) values ($1, ${values})`, [TENANT])
  await insert("answer_tokens", "day, tokens", "current_date, 7")
  await insert("search_tunings", "embedding_model, alpha", `'${MARK}', 0.3`)
  await insert("role_tenants", "role_name", `'${MARK}'`)
  await insert("plugin_rows_left", "id, reason", `'${MARK}', 'x'`)
  await insert(
    "enrichments",
    "document_id, kind, hash, model, notes",
    `'${MARK}-note', 'chunk', 'h', 'm', '{"note": "${MARK}"}'`,
  )
  const ring = createKeyRing(shelf.owner)
  const make = async (name: string, tenants?: [string, ...string[]]) =>
    (await ring.create({ name, ...(tenants && { tenants }) })).record.id
  keys = {
    alone: await make(MARK, [TENANT]),
    shared: await make("shared", [TENANT, "other"]),
    every: await make("every"),
  }
})
afterEach(() => shelf.close())

const erase = (options?: EraseOptions) => eraseTenant(shelf, TENANT, options)

/** Where the mark stands: tables of any schema of ours, objects; lower case, since lexemes are. */
async function traces(): Promise<string[]> {
  const tables = await shelf.rows(`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('concordance', 'public') and c.relkind in ('r', 'p')`)
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await shelf.rows(`select 1 from ${String(name)} t where lower(t::text) like '%${MARK}%' limit 1`)
    if (rows.length > 0) found.push(String(name))
  }
  for (const [key, { body }] of shelf.objects.held) {
    if (key.includes(MARK) || Buffer.from(body).includes(MARK)) found.push(key)
  }
  return found.sort()
}

const others = async () =>
  Promise.all(
    ["documents", "chunks", "pages", "ingest_jobs", "embeddings", "entities", "upload_keys"].map(async (table) =>
      shelf.rows(`select t::text as row from ${table} t where source_account_id = 'other' order by 1`),
    ),
  )

test("nothing of an erased tenant stands in any table of the catalog or any object, and the others lose nothing", async () => {
  expect((await traces()).length).toBeGreaterThan(15)
  const before = await others()
  const objects = [...shelf.objects.held.keys()].filter((key) => key.includes("/other/"))
  const told = await erase()
  expect(told.rows["documents"]).toBe(4)
  expect(told).toMatchObject({ keysRevoked: [keys.alone], keysNarrowed: [keys.shared] })
  expect(await traces()).toEqual([])
  expect(await others()).toEqual(before)
  expect([...shelf.objects.held.keys()].sort()).toEqual(objects.sort())
  const left = await createKeyRing(shelf.owner).list()
  expect(left.keys.map(({ id, tenants, revokedAt }) => [id, tenants, revokedAt === null]).sort()).toEqual(
    [
      [keys.alone, [], false],
      [keys.shared, ["other"], true],
      [keys.every, ["*"], true],
    ].sort(),
  )
  expect((await listTenants(shelf.owner)).map(({ tenant }) => tenant)).toEqual(["other"])
  expect((await recount(shelf)).disagreements).toEqual([])
  const log = createLog({ level: "error", write: () => {} })
  expect((await verify({ ...shelf, log })).problems).toEqual([])
})

test.skipIf(!testServerUrl())("a dump of the whole database has nothing of an erased tenant", async () => {
  const url = new URL(String(testServerUrl()))
  url.pathname = new URL(String(shelf.urls?.owner)).pathname
  const dump = async () => (await promisify(execFile)("pg_dump", [url.href], { maxBuffer: 1e9 })).stdout.toLowerCase()
  expect(await dump()).toContain(MARK)
  await erase()
  expect(await dump()).not.toContain(MARK)
})

test("workers, events of the bucket and messages that come late change nothing", async () => {
  const uploads = [...shelf.objects.held.keys()].filter((key) => key.startsWith(`uploads/${TENANT}/`))
  let erased: Promise<unknown> | undefined
  const beforePage = async (page: number) => {
    if (page !== 2) return
    erased ??= erase()
    await erased
  }
  await shelf.add(TENANT, `${MARK}-late`, PAGES)
  await shelf.worker({ fileReader: createTextFileReader({ beforePage }), concurrency: 1 }).run(TENANT, `${MARK}-late`)
  expect(await traces()).toEqual([])
  const worker = shelf.worker()
  for (const key of uploads) {
    const id = key.split("/")[2] ?? ""
    expect(await worker.received(TENANT, id, { key, bytes: 10, sequencer: "0A" })).toBe("ignored")
    expect(await worker.removed(TENANT, id, { key, sequencer: "0B" })).toBe(false)
    expect(await worker.run(TENANT, id)).toBe("none")
    await worker.cleanUp(TENANT, id)
  }
  expect(await traces()).toEqual([])
  await shelf.add(TENANT, "again", "The customer is back.")
  const [key = ""] = [...shelf.objects.held.keys()].filter((each) => each.startsWith(`uploads/${TENANT}/again`))
  expect(await worker.received(TENANT, "again", { key, bytes: 21, sequencer: "0C" })).not.toBe("ignored")
  expect(await worker.run(TENANT, "again")).toBe("ready")
})

test("an erasing that is stopped half-way is finished by the next", async () => {
  for (const table of ["documents", "upload_keys", "objects"]) {
    const stop = new AbortController()
    const onProgress = (what: string) => {
      if (what === table) stop.abort(new Error("stopped"))
    }
    await expect(erase({ onProgress, signal: stop.signal })).rejects.toThrow("stopped")
  }
  await erase()
  expect(await traces()).toEqual([])
})

test("a tenant whose documents are in an index elsewhere is not erased before they are deleted there, unless asked", async () => {
  await shelf.rows(
    "insert into index_publications (source_account_id, target, document_id, generation, chunk_ids) values ($1, 'qdrant x', 'd', 1, '{c0001}')",
    [TENANT],
  )
  await expect(erase()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("1 in qdrant x") })
  expect((await traces()).length).toBeGreaterThan(15)
  await erase({ leavePublished: true })
  expect(await traces()).toEqual([])
})
