import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createImportBundle } from "../lib/documents/bundles/import-bundle.ts"
import { createFileReader } from "../lib/documents/pages/create-file-reader.ts"
import { zipOf } from "./document-files.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { createWordEmbedder } from "./word-embedder.ts"

// A packed bundle that is uploaded becomes what the same folder becomes when it is imported.

const SAMPLE = "samples/bundles/andorinha-inquiry-1934"
const ID = "andorinha-inquiry-1934"
const fileReader = createFileReader({ threads: 1 })

let shelf: Ingesting
beforeAll(async () => {
  shelf = await openIngesting()
})
afterAll(async () => {
  await fileReader.close()
  await shelf.close()
})

async function filesOfSample(root = `${ID}/`): Promise<Record<string, Uint8Array>> {
  const names = await readdir(SAMPLE, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = files.map(async (path) => [root + path.slice(SAMPLE.length + 1), await readFile(path)] as const)
  return Object.fromEntries(await Promise.all(read))
}

async function upload(tenant: string, id: string, packed: Uint8Array, options = {}) {
  await shelf.add(tenant, id, packed, options)
  return shelf.worker({ fileReader }).run(tenant, id)
}

const CONTENT = `
  select id, ordinal, kind, title, content, language, translated_content, translation_language, regions, anomalies,
         entities, metadata, image_key is not null as image from chunks where source_account_id = $1 order by ordinal`
const REST = `
  select (select jsonb_agg(csv order by number) from document_tables where source_account_id = $1) as tables,
         (select count(*) from pages where source_account_id = $1 and source = 'given') as pages,
         (select count(*) from embeddings where source_account_id = $1) as vectors,
         (select count(*) from entity_mentions where source_account_id = $1) as mentions,
         (select count(*) from uploads where source_account_id = $1) as waiting`

test("an upload of a bundle leaves the rows that its import does, and all of its pictures", async () => {
  const embedder = createWordEmbedder()
  const importBundle = createImportBundle({ ...shelf, embedder, cleanUp: async () => {} })
  await importBundle("imported", SAMPLE)
  expect(await upload("uploaded", ID, zipOf(await filesOfSample()))).toBe("ready")
  for (const query of [CONTENT, REST]) {
    const uploaded = await shelf.rows(query, ["uploaded"])
    expect(uploaded).toEqual(await shelf.rows(query, ["imported"]))
    expect(uploaded).not.toEqual([])
  }
  const kept = (tenant: string) => [...shelf.objects.held.keys()].filter((key) => key.startsWith(`images/${tenant}/`))
  expect(kept("uploaded")).toHaveLength(3)
  const details = await shelf.documents.get("uploaded", ID)
  expect(details).toMatchObject({ status: "ready", chunks: 40, page_count: 7, mime_type: "application/zip" })
  expect(details).not.toHaveProperty("warnings")
})

test("the upload's id, title and metadata count; what had no effect is said", async () => {
  const files = await filesOfSample("")
  files["_index.json"] = Buffer.from(
    '{"bundle":1,"id":"other","title":"Given","language":"pt","metadata":{"box":1,"a":2}}',
  )
  files["notes.doc"] = Buffer.from("x")
  const options = { title: "Said", language: "pt", metadata: { box: 7 } }
  expect(await upload("named", "named", zipOf(files), options)).toBe("ready")
  expect(await shelf.documents.get("named", "named")).toMatchObject({
    title: "Said",
    metadata: { box: 7, a: 2 },
    warnings: [
      expect.stringMatching(/^id: /),
      expect.stringMatching(/^language: /),
      "notes.doc: is no part of a bundle; passed over",
    ],
  })
})

test("another file in the bundle's place takes its pictures away; a bundle in the file's place, its pages", async () => {
  expect(await upload("swap", "d", zipOf(await filesOfSample()))).toBe("ready")
  expect(await upload("swap", "d", Buffer.from("One line of text."))).toBe("ready")
  expect([...shelf.objects.held.keys()].filter((key) => key.startsWith("images/swap/"))).toEqual([])
  expect(await shelf.documents.get("swap", "d")).toMatchObject({ chunks: 1 })
  expect(await upload("swap", "d", zipOf(await filesOfSample()))).toBe("ready")
  expect(await shelf.documents.get("swap", "d")).toMatchObject({ chunks: 40, page_count: 7 })
})

test("a bundle with a wrong field fails with the field's name, and what was there stays", async () => {
  await upload("wrong", "d", Buffer.from("One line of text."))
  const files = await filesOfSample()
  files[`${ID}/chunks/c0002.md`] = Buffer.from("---\npage: none\n---\nText")
  expect(await upload("wrong", "d", zipOf(files))).toBe("failed")
  expect(await shelf.documents.get("wrong", "d")).toMatchObject({
    chunks: 1,
    error: { message: expect.stringContaining("chunks/c0002.md: page") },
  })
})
