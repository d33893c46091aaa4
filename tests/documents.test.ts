import { createHash } from "node:crypto"
import { readdir } from "node:fs/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Served, serve } from "./served.ts"
import { assembleBlocks, createTextFileReader } from "./text-file-reader.ts"

// Uploading, reading and seeing documents over HTTP, with a reader of text files in place of the PDF reader.

let served: Served
const keys: Record<string, { readonly "x-api-key": string }> = {}
const LOG =
  "The storm of 1931 took the lighthouse roof.\nNobody was hurt.\fThe roof was mended in spring.\nslates | 400"

beforeAll(async () => {
  served = await serve({
    policy: "keys",
    environment: { EMBEDDING_MODEL: "none", RERANK_MODEL: "none", DOCUMENT_BYTES_MAX: "5000", DOCUMENT_PAGES_MAX: "9" },
    fileReading: { fileReader: createTextFileReader(), assembleChunks: assembleBlocks },
  })
  for (const tenant of ["left", "right"]) {
    const { key } = await served.runtime.keys.create({ name: tenant, tenants: [tenant] })
    keys[tenant] = { "x-api-key": key }
  }
  const reader = await served.runtime.keys.create({ name: "reader", tenants: ["left"], scopes: ["search"] })
  keys["reader"] = { "x-api-key": reader.key }
  await upload("left", LOG, { id: "harbour/log", title: "Harbour log" })
  await served.runtime.ingest.idle()
})
afterAll(() => served.close())

function upload(who: string, text: string, fields: Record<string, string> = {}, name = "log.txt") {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set("file", new File([text], name, { type: "text/plain" }))
  return served.send("POST", "/documents", form, keys[who])
}
const get = (path: string, who = "left", headers = {}) =>
  served.send("GET", path, undefined, { ...keys[who], ...headers })
const json = async (path: string, who = "left") => (await get(path, who)).json() as Promise<Record<string, unknown>>
const DOCUMENT = "/documents/harbour%2Flog"

test("an upload is accepted, read in the background, and tells how far it is", async () => {
  const response = await upload("left", LOG.replace("1931", "1941"), {
    id: "second",
    metadata: '{"box":7}',
    flat: "true",
  })
  expect(response.status).toBe(202)
  expect(await response.json()).toEqual({ id: "second", status: "queued" })
  expect(await json("/documents/second")).toMatchObject({ status: expect.stringMatching(/queued|processing|ready/) })
  await served.runtime.ingest.idle()
  expect(await json("/documents/second")).toMatchObject({
    status: "ready",
    title: "log",
    page_count: 2,
    chunks: 4,
    metadata: { box: 7 },
    mime_type: "text/plain",
  })
  expect(await json("/documents")).toMatchObject({
    documents: [{ id: "harbour/log", status: "ready", page_count: 2 }, { id: "second" }],
  })
})

test("without an id the document is called by its file's name and bytes, the same each time", async () => {
  const first = (await (await upload("left", "Ação!\fTwo.", {}, "C:\\scans\\Ação №3.PDF")).json()) as { id: string }
  expect(first.id).toMatch(/^acao-no3-[0-9a-f]{12}$/)
  await served.runtime.ingest.idle()
  const again = await upload("left", "Ação!\fTwo.", {}, "Ação №3.PDF")
  expect(await again.json()).toEqual({ id: first.id, status: "ready" })
  expect((await served.send("DELETE", `/documents/${first.id}`, undefined, keys["left"])).status).toBe(200)
})

test("a file that can't be read says why", async () => {
  await upload("left", "locked", { id: "locked" })
  await served.runtime.ingest.idle()
  expect(await json("/documents/locked")).toMatchObject({
    status: "failed",
    error: { code: "document_encrypted", message: "This file needs a password" },
    chunks: 0,
  })
})

test("hits lead to the page and to a picture of the passage", async () => {
  const { results } = (await (await served.post("/search", { query: "storm 1931" }, keys["left"])).json()) as {
    results: { page_url: string; crop_url: string; page: number }[]
  }
  expect(results[0]).toMatchObject({
    page: 1,
    page_url: "/documents/harbour%2Flog/pages/1?source_account_id=left",
    crop_url: "/crop/harbour%2Flog/1?chunk=c0002&v=2&source_account_id=left",
  })
  for (const path of [results[0]?.page_url, results[0]?.crop_url]) expect((await get(path ?? "")).status).toBe(200)
  const indexed = { id: "plain", content: "The lighthouse without a page.", chunks: undefined }
  await served.post("/index", indexed, keys["left"])
  const plain = (await (await served.post("/search", { query: "without a page" }, keys["left"])).json()) as {
    results: object[]
  }
  expect(Object.keys(plain.results[0] ?? {})).not.toContain("crop_url")
})

test("pages, their chunks in reading order, a chunk with its parent, and a table", async () => {
  const list = await json(`${DOCUMENT}/pages?limit=1`)
  expect(list).toMatchObject({ pages: [{ number: 1, width: 200, height: 300, source: "embedded" }] })
  expect(await json(`${DOCUMENT}/pages?cursor=${String(list["next_cursor"])}`)).toMatchObject({
    pages: [{ number: 2 }],
  })
  const page = (await json(`${DOCUMENT}/pages/2`)) as { chunks: Record<string, unknown>[] }
  expect(page.chunks.map(({ id, kind, content }) => [id, kind, content])).toEqual([
    ["c0004", "text", "The roof was mended in spring."],
    ["c0005", "table", "slates | 400"],
  ])
  expect(page.chunks[0]).toMatchObject({ citation: "[[harbour%2Flog/p002#c0004]]", parent_id: "p0001", page: 2 })
  expect(await json(`${DOCUMENT}/chunks/c0004`)).toEqual(page.chunks[0])
  expect(await json(`${DOCUMENT}/chunks/p0001`)).toMatchObject({ content: expect.stringContaining("storm"), page: 1 })
  const table = await get(String(page.chunks[1]?.["table_url"]))
  expect(table.headers.get("content-type")).toContain("text/csv")
  expect(await table.text()).toBe("slates,400\r\nslates,400\r\n")
})

test("all chunks in reading order, a few at a time, of a document without pages too", async () => {
  const whole = (await json(`${DOCUMENT}/chunks`)) as { chunks: { id: string }[] }
  expect(whole).not.toHaveProperty("next_cursor")
  expect(whole.chunks[0]).toEqual(await json(`${DOCUMENT}/chunks/${whole.chunks[0]?.id}`))
  const ids = whole.chunks.map(({ id }) => id)
  expect(ids.slice(-2)).toEqual(["c0004", "c0005"])
  expect(ids).not.toContain("p0001")
  const read: string[] = []
  for (let cursor = ""; ; ) {
    const part = (await json(`${DOCUMENT}/chunks?limit=1${cursor}`)) as typeof whole & { next_cursor?: string }
    read.push(...part.chunks.map(({ id }) => id))
    if (part.next_cursor === undefined) break
    cursor = `&cursor=${part.next_cursor}`
  }
  expect(read).toEqual(ids)
  // Ids come in the order of writing, which need not be that of reading.
  const texts = ["Third of all.", "First of all.", "Second of all."]
  await served.post("/index", { id: "pageless", chunks: [{ content: texts[0] }] }, keys["left"])
  const chunks = [texts[1], texts[2], texts[0]].map((content) => ({ content }))
  await served.post("/index", { id: "pageless", chunks }, keys["left"])
  const pageless = (await json("/documents/pageless/chunks")) as { chunks: { id: string; content: string }[] }
  expect(pageless.chunks.map(({ content }) => content)).toEqual([texts[1], texts[2], texts[0]])
  expect(pageless.chunks[2]?.id).toBe("c0001")
  const { next_cursor } = (await json("/documents/pageless/chunks?limit=1")) as { next_cursor: string }
  expect((await get(`${DOCUMENT}/chunks?cursor=${next_cursor}`)).status).toBe(400)
})

test("the picture of a page is kept for ever under its version, and asked for again without", async () => {
  const { pages } = (await json(`${DOCUMENT}/pages`)) as { pages: { image_url: string }[] }
  const image = await get(pages[0]?.image_url ?? "")
  expect(image.headers.get("content-type")).toBe("image/png")
  expect(image.headers.get("cache-control")).toBe("private, max-age=31536000, immutable")
  const tag = image.headers.get("etag") ?? ""
  expect(tag).toMatch(/^"[\w-]+"$/)
  const bare = await get(`${DOCUMENT}/pages/1/image`)
  expect([bare.headers.get("cache-control"), bare.headers.get("etag")]).toEqual(["private, no-cache", tag])
  const known = await get(`${DOCUMENT}/pages/1/image`, "left", { "if-none-match": `W/"other", ${tag}` })
  expect([known.status, await known.text()]).toEqual([304, ""])
  expect((await get(`${DOCUMENT}/pages/2/image`)).headers.get("etag")).not.toBe(tag)
})

test.each([
  "chunk=c0002",
  "bbox=0.1,0.1,0.5,0.5",
  "chunk=c0002&highlight=1",
  "bbox=0,0,1,1&format=webp",
  "chunk=c0002&format=jpeg",
])("/crop?%s draws, with a tag of its own that answers 304", async (query) => {
  const path = `/crop/harbour%2Flog/1?${query}`
  const response = await get(path)
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toMatch(/^image\/(png|webp|jpeg)$/)
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(50)
  const tag = response.headers.get("etag") ?? ""
  expect((await get(path, "left", { "if-none-match": tag })).status).toBe(304)
  expect((await get(`${path}&width=17`, "left", { "if-none-match": tag })).status).not.toBe(304)
})

test.each([
  "",
  "bbox=0,0,1,1&chunk=c0002",
  "bbox=0,0,2,1",
  "bbox=0.5,0,0.4,1",
  "bbox=NaN,0,1,1",
  "bbox=0,0,0,0",
  "bbox=1,2,3",
  "chunk=c0002&width=0",
  "chunk=c0002&width=99999",
  "chunk=c0002&format=svg",
  "chunk=c0002&highlight=2",
  `chunk=${"c".repeat(200)}`,
  "chunk=%00",
])("/crop?%s is refused with 400", async (query) => {
  expect((await get(`/crop/harbour%2Flog/1?${query}`)).status).toBe(400)
})

test.each([
  `${DOCUMENT}/pages/3`,
  `${DOCUMENT}/pages/3/image`,
  `${DOCUMENT}/chunks/c9999`,
  `${DOCUMENT}/tables/2.csv`,
  "/crop/harbour%2Flog/3?chunk=c0002",
  "/crop/harbour%2Flog/1?chunk=c9999",
  "/crop/harbour%2Flog/2?chunk=c0002",
  "/documents/none/pages",
  "/documents/none/pages/1",
  "/documents/none/pages/1/image",
  "/documents/none/chunks",
  "/documents/none/chunks/c0001",
  "/documents/none/tables/1.csv",
  "/crop/none/1?bbox=0,0,1,1",
])("%s is not there", async (path) => {
  expect((await get(path)).status).toBe(404)
})

test.each([
  `${DOCUMENT}/pages/0`,
  `${DOCUMENT}/pages/x`,
  `${DOCUMENT}/pages/1e9/image`,
  `${DOCUMENT}/tables/1.xls`,
  `${DOCUMENT}/chunks?limit=201`,
  `${DOCUMENT}/chunks?cursor=x`,
  "/crop/harbour%2Flog/-1?bbox=0,0,1,1",
])("%s is refused with 400", async (path) => {
  expect((await get(path)).status).toBe(400)
})

test("every route answers for another tenant's document as for one that isn't there", async () => {
  const paths = ["", "/pages", "/pages/1", "/pages/1/image", "/chunks", "/chunks/c0002", "/tables/1.csv"].map(
    (path) => DOCUMENT + path,
  )
  for (const path of [...paths, "/crop/harbour%2Flog/1?chunk=c0002"]) {
    const theirs = await get(path, "right")
    const nobodys = await get(path.replace("harbour%2Flog", "nobody"), "right")
    expect(theirs.status).toBe(404)
    const withoutId = async (response: Response) => (await response.text()).replace(/"request_id":"[^"]+"/, "")
    expect(await withoutId(theirs)).toBe(await withoutId(nobodys))
    expect((await get(`${path}${path.includes("?") ? "&" : "?"}source_account_id=left`, "right")).status).toBe(403)
  }
  expect((await served.send("DELETE", DOCUMENT, undefined, keys["right"])).status).toBe(404)
  expect((await get(DOCUMENT)).status).toBe(200)
})

test("the same id and bytes of two tenants are two documents with two pictures", async () => {
  await upload("right", LOG, { id: "harbour/log", title: "Theirs" })
  await served.runtime.ingest.idle()
  expect(await json(DOCUMENT, "right")).toMatchObject({ title: "Theirs" })
  expect(await json(DOCUMENT)).toMatchObject({ title: "Harbour log" })
  expect((await served.send("DELETE", DOCUMENT, undefined, keys["right"])).status).toBe(200)
  expect((await get(`${DOCUMENT}/pages/1/image`)).status).toBe(200)
  expect((await get(`${DOCUMENT}/pages/1/image`, "right")).status).toBe(404)
})

test.each(["../../x", "..\\..\\x", "%2e%2e", "a/../../b", "CON", "x".repeat(1_024), "nul\u0001", "😀/."])(
  "the id %j names one document and never a path",
  async (id) => {
    expect((await upload("left", LOG, { id })).status).toBe(202)
    await served.runtime.ingest.idle()
    const path = `/documents/${encodeURIComponent(id)}`
    expect(await json(path)).toMatchObject({ id, status: "ready" })
    expect((await get(`${path}/pages/1/image`)).status).toBe(200)
    const stored = await readdir(served.runtime.tempFolder.replace(/tmp$/, "objects"), { recursive: true })
    expect(stored.every((name) => /^[\w./-]+$/.test(name) && !name.split("/").includes(".."))).toBe(true)
    expect((await served.send("DELETE", path, undefined, keys["left"])).status).toBe(200)
    expect(stored.length).toBeGreaterThan(
      (await readdir(served.runtime.tempFolder.replace(/tmp$/, "objects"), { recursive: true })).length,
    )
  },
)

test("an id of 4 kB, of a dot, or none that text can hold, is refused before anything is stored", async () => {
  for (const id of ["x".repeat(4_096), ".", "..", "a\u0000b"])
    expect((await upload("left", LOG, { id })).status).toBe(400)
  expect((await get(`/documents/${"x".repeat(4_096)}/pages/1/image`)).status).toBe(400)
  expect((await get(`/crop/${"x".repeat(4_096)}/1?bbox=0,0,1,1`)).status).toBe(400)
})

test("a file over the limit is refused with 413, with and without a length, and nothing of it stays", async () => {
  const big = await upload("left", "x".repeat(6_000), { id: "big" })
  expect([big.status, ((await big.json()) as { code: string }).code]).toEqual([413, "document_too_large"])
  expect((await get("/documents/big")).status).toBe(404)
  expect(await readdir(served.runtime.tempFolder)).toEqual([])
  await upload("left", "page\f".repeat(20), { id: "long" })
  await served.runtime.ingest.idle()
  expect(await json("/documents/long")).toMatchObject({
    error: { code: "document_too_large", message: expect.stringContaining("21 pages") },
  })
})

test.each([
  ["no file", { id: "x" }, undefined],
  ["metadata that is no JSON", { metadata: "{" }, "x"],
  ["metadata that is no object", { metadata: "[1]" }, "x"],
  ["a flag that is none", { flat: "perhaps" }, "x"],
  ["a language that is none", { language: "English!" }, "x"],
])("a form with %s is refused with 400", async (_, fields, text) => {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields as Record<string, string>)) form.set(field, value)
  if (text) form.set("file", new File([text], "x.txt"))
  expect((await served.send("POST", "/documents", form, keys["left"])).status).toBe(400)
})

test("a field that has no effect is told of", async () => {
  const response = await upload("left", LOG, { id: "harbour/log", title: "Harbour log", titel: "x" })
  expect(await response.json()).toMatchObject({ status: "ready", warnings: [expect.stringContaining("titel")] })
})

test("JSON asks for a URL, which this store has not", async () => {
  const response = await served.post("/documents", { file_name: "a.pdf" }, keys["left"])
  expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
    415,
    expect.stringContaining("multipart/form-data"),
  ])
})

test("uploading needs the scope index, deleting the scope delete, looking the scope search", async () => {
  expect((await upload("reader", LOG)).status).toBe(403)
  expect((await served.send("DELETE", DOCUMENT, undefined, keys["reader"])).status).toBe(403)
  expect((await get(`${DOCUMENT}/pages/1/image`, "reader")).status).toBe(200)
  expect((await upload("nobody", LOG)).status).toBe(401)
})

test("a new version shows under the same paths, and links to the old one stop being for ever", async () => {
  await upload("left", LOG, { id: "changes" })
  await served.runtime.ingest.idle()
  const digest = async (path: string) =>
    createHash("sha256")
      .update(new Uint8Array(await (await get(path)).arrayBuffer()))
      .digest("hex")
  const before = (await json("/documents/changes/pages")) as { pages: { image_url: string }[] }
  const old = before.pages[1]?.image_url ?? ""
  const picture = await digest(old)
  await upload("left", `Another first page.\f${LOG}`, { id: "changes" })
  await served.runtime.ingest.idle()
  expect((await get(old)).headers.get("cache-control")).toBe("private, no-cache")
  expect(await digest(old)).toBe(picture)
  expect(await json("/documents/changes")).toMatchObject({ page_count: 3 })
})

test("nothing of a document reaches the log", () => {
  expect(served.lines.join()).not.toMatch(/lighthouse|mended/)
})
