import { mkdir, mkdtemp, open, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { findBundles } from "./find-bundles.ts"
import { readBundle } from "./read-bundle.ts"

let root: string
beforeEach(async () => {
  root = join(await mkdtemp(join(tmpdir(), "concordance-bundle-")), "harbour log")
})
afterEach(() => rm(dirname(root), { recursive: true }))

const INDEX = { bundle: 1, title: "Harbour log", language: "pt" }
const CHUNK = `---\npage: 1\ntext_pt: O porto.\ntext_en: The harbour.\n---\n`

async function write(files: Record<string, string | Buffer>): Promise<void> {
  const all = { "_index.json": JSON.stringify(INDEX), "chunks/c0001.md": CHUNK, ...files }
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
  }
}

const withFields = (fields: string) => `---\n${fields}\n---\n`
const refusal = () =>
  readBundle(root).then(
    () => "read",
    ({ code, message }) => `${code}\n${message}`,
  )

test("a bundle is read whole: texts, boxes, notes, names, tables, pictures, and the folder's name for its id", async () => {
  await write({
    "chunks/c0002.md": `---
page: 7
bbox: [[0.1, 0.2, 0.9, 0.3], [0.1, 0.4, 0.5, 0.5]]
kind: table
table: 1
language: pt
text_en: |
  Hour | Wind
  12h | SW

anomalies:
  - torn corner
  - {kind: date-conflict, note: "1909: another ink"}
entities:
- Andorinha
- name: Amélia Furtado
  kind: person
  surface: D. Amélia
metadata: {hand: second}
---

Hora | Vento
12h | SO
`,
    "tables/TBL-001.csv": 'Hora,Vento\n12h,"SO, forte"\n15h\n',
    "images/IMG-c0002.png": "checked when it is stored",
  })
  const { id, chunks, tables, images, warnings } = await readBundle(root)
  expect(id).toBe("harbour log")
  expect(chunks.map((chunk) => chunk.id)).toEqual(["c0001", "c0002"])
  expect(chunks[1]?.chunk).toEqual({
    kind: "table",
    content: "Hora | Vento\n12h | SO",
    language: "pt",
    translation: { language: "en", content: "Hour | Wind\n12h | SW" },
    regions: [
      { page: 7, x0: 0.1, y0: 0.2, x1: 0.9, y1: 0.3 },
      { page: 7, x0: 0.1, y0: 0.4, x1: 0.5, y1: 0.5 },
    ],
    anomalies: [
      { kind: "note", note: "torn corner" },
      { kind: "date-conflict", note: "1909: another ink" },
    ],
    entities: [
      { name: "Andorinha", kind: "other" },
      { name: "Amélia Furtado", kind: "person", surface: "D. Amélia" },
    ],
    metadata: { hand: "second", table: 1 },
  })
  const rows = [
    ["Hora", "Vento"],
    ["12h", "SO, forte"],
    ["15h", ""],
  ]
  expect(tables).toEqual([{ number: 1, rows, headerRows: 1, firstPage: 7, lastPage: 7 }])
  expect([...images]).toEqual([["c0002", "IMG-c0002.png"]])
  expect(warnings).toEqual([])
})

test("the index's own order of chunks is that of reading", async () => {
  await write({ "_index.json": JSON.stringify({ ...INDEX, chunks: ["c0002", "c0001"] }), "chunks/c0002.md": CHUNK })
  expect((await readBundle(root)).chunks.map((chunk) => chunk.id)).toEqual(["c0002", "c0001"])
})

test("an original in a language that has no text is told, and the first text stands for it", async () => {
  await write({ "chunks/c0001.md": withFields("language: de\ntext_en: The harbour.\ntext_pt: O porto.") })
  const { chunks, warnings } = await readBundle(root)
  expect(chunks[0]?.chunk).toMatchObject({ content: "The harbour.", language: "en", translation: { language: "pt" } })
  expect(warnings).toEqual(["language: 1 chunks have no text in de; the first text of each stands for it"])
})

test("what is no part of a bundle is passed over and told; hidden files are passed over", async () => {
  await write({
    "notes.txt": "x",
    ".DS_Store": "x",
    "chunks/.c0002.md.swp": "x",
    "chunks/c2.md": "x",
    "chunks/c00003.md": "x",
    "tables/table.csv": "x",
    "images/IMG-c0099.png": "x",
    "images/IMG-c0001.jpg": "x",
  })
  const { chunks, warnings } = await readBundle(root)
  expect(chunks).toHaveLength(1)
  expect(warnings.map((warning) => warning.split(":")[0])).toEqual([
    "notes.txt",
    "chunks/c00003.md",
    "chunks/c2.md",
    "tables/table.csv",
    "images/IMG-c0001.jpg",
    "images/IMG-c0099.png",
  ])
})

test.each([
  ["page: 0\ntext_pt: x", "chunks/c0001.md: page: must be at least 1"],
  ["text_pt: x\nbbox: [0, 0, 1, 1]", "chunks/c0001.md: page: is required where there is a bbox"],
  ["page: 1\nbbox: [0, 0, 595, 842]\ntext_pt: x", "chunks/c0001.md: bbox.2: must be at most 1"],
  [
    "page: 1\nbbox: [0.5, 0, 0.2, 1]\ntext_pt: x",
    "chunks/c0001.md: bbox: must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1",
  ],
  ["page: 1\nbbox: [.nan, 0, 1, 1]\ntext_pt: x", "chunks/c0001.md: bbox"],
  ["id: c0002\ntext_pt: x", "chunks/c0001.md: id: must be c0001, as the file is called"],
  ["text_pt: x\nlangauge: pt", 'chunks/c0001.md: must not hold "langauge"'],
  ["text_pt: x\nanomalies:\n- {kind: Bad Kind, note: x}", "chunks/c0001.md: anomalies.0.kind: must be lower-case"],
  ["text_pt: x\nentities: [{name: '...'}]", "chunks/c0001.md: entities.0.name: must hold a letter or a digit"],
  ["text_pt: x\ntable: 4", "chunks/c0001.md: table: has no file in tables/"],
  ["page: 1", "chunks/c0001.md: text: is required"],
  ["text_pt: x\ntext_en: y\ntext_de: z", "chunks/c0001.md: text: must be in two languages at most"],
  ["text_portuguese: x", "chunks/c0001.md: must be a language tag"],
  ["text_pt: ''", "chunks/c0001.md: text_pt: must not be empty"],
  ["- a\n- b", "chunks/c0001.md: front matter: must be fields"],
  ["text_pt: [x", "chunks/c0001.md: is not valid YAML (line 1)"],
  ["text_pt: x\ntext_pt: y", "chunks/c0001.md: has a key twice"],
])("front matter that is wrong is refused by file and field: %j", async (fields, expected) => {
  await write({ "chunks/c0001.md": withFields(fields) })
  const message = await refusal()
  expect(message).toContain("invalid_request")
  expect(message.replace(/text_portuguese: /, "")).toContain(expected)
})

test.each([
  ["anchors", "text_pt: &a x\ntext_en: *a"],
  [
    "a bomb of aliases",
    `a0: &a0 [x, x]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join("\n")}`,
  ],
  ["tags", "text_pt: !!js/function x"],
  ["deep brackets", `text_pt: ${"[".repeat(100_000)}`],
  ["deep keys", "? ".repeat(50_000)],
  ["deep lists", "- ".repeat(50_000)],
  ["many keys", Array.from({ length: 30_000 }, (_, i) => `k${i}:`).join("\n")],
  ["many commas", `text_pt: [${",".repeat(100_000)}]`],
])("YAML with %s is refused at once", async (_, fields) => {
  await write({ "chunks/c0001.md": withFields(fields) })
  expect(await refusal()).toMatch(/^invalid_request\nchunks\/c0001\.md: (holds more|is nested|must not use|has a key)/)
})

test("every wrong file is named, twenty at most", async () => {
  const files = Array.from({ length: 40 }, (_, i) => [
    `chunks/c${String(i + 1).padStart(4, "0")}.md`,
    withFields("page: 0"),
  ])
  await write(Object.fromEntries(files))
  const message = await refusal()
  expect(message.match(/chunks\/c/g)).toHaveLength(20)
  expect(message).toMatch(/and more$/)
})

test.each([
  ["no JSON", "{", "_index.json: must be valid JSON"],
  ["another version", JSON.stringify({ ...INDEX, bundle: 2 }), "_index.json: bundle: must be 1"],
  ["an unknown field", JSON.stringify({ ...INDEX, titel: "x" }), '_index.json: must not hold "titel"'],
  ["an id with a NUL", JSON.stringify({ ...INDEX, id: "a\u0000" }), "_index.json: id: must not contain NUL"],
  [
    "a path for a chunk",
    JSON.stringify({ ...INDEX, chunks: ["../../c0001"] }),
    "_index.json: chunks.0: must be like c0042",
  ],
  ["a chunk that isn't there", JSON.stringify({ ...INDEX, chunks: ["c0001", "c0002"] }), "chunks/c0002.md: is missing"],
  [
    "a chunk that it leaves out",
    JSON.stringify({ ...INDEX, chunks: ["c0009"] }),
    "chunks/c0001.md: is not among the chunks",
  ],
  ["fewer pages than there are", JSON.stringify({ ...INDEX, pages: 6 }), "chunks/c0002.md: page: must be at most 6"],
])("an index with %s is refused", async (name, index, expected) => {
  const more = name === "fewer pages than there are" ? { "chunks/c0002.md": withFields("page: 7\ntext_pt: x") } : {}
  await write({ "_index.json": index, ...more })
  expect(await refusal()).toContain(expected)
})

test("links are refused, wherever they lead, and so is what is no file or no text", async () => {
  await write({})
  await symlink("/etc/passwd", join(root, "chunks/c0002.md"))
  expect(await refusal()).toBe("document_unreadable\nchunks/c0002.md: is a symbolic link; a bundle holds files alone")
  await rm(join(root, "chunks"), { recursive: true })
  await symlink("/etc", join(root, "chunks"))
  expect(await refusal()).toContain("chunks: is a symbolic link")
  await rm(join(root, "chunks"))
  await write({ "chunks/c0001.md": Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]) })
  expect(await refusal()).toBe("document_unreadable\nchunks/c0001.md: is not UTF-8 text")
  await rm(join(root, "_index.json"))
  await symlink("/etc/passwd", join(root, "_index.json"))
  expect(await refusal()).toContain("_index.json: is a symbolic link")
})

test("files and folders beyond their bounds are refused without being read", async () => {
  await write({})
  const huge = await open(join(root, "chunks/c0002.md"), "w")
  await huge.truncate(1_000_000_000)
  await huge.close()
  expect(await refusal()).toBe("document_too_large\nchunks/c0002.md: is larger than 0.26 MB")
  await rm(join(root, "chunks/c0002.md"))
  for (let i = 0; i < 10_001; i++) await writeFile(join(root, "chunks", `x${i}`), "")
  expect(await refusal()).toBe("document_too_large\nchunks: holds more than 10000 files")
})

test("tables that are no CSV, or hold too much, are refused by name", async () => {
  await write({ "tables/TBL-001.csv": 'a,"b\n' })
  expect(await refusal()).toContain("tables/TBL-001.csv: is not valid CSV")
  await write({ "tables/TBL-001.csv": `${",".repeat(1_000)}\n`.repeat(201) })
  expect(await refusal()).toContain("tables/TBL-001.csv: holds more than 200000 cells")
  await write({ "tables/TBL-001.csv": `${",".repeat(100_000)}\na\nb\nc` })
  expect(await refusal()).toContain("tables/TBL-001.csv: holds more than 200000 cells")
})

test("bundles are found under a folder, in order, and neither by links nor in hidden folders", async () => {
  await write({})
  const parent = dirname(root)
  await mkdir(join(parent, "b/deep"), { recursive: true })
  await writeFile(join(parent, "b/deep/_index.json"), "{}")
  await mkdir(join(parent, ".git"))
  await writeFile(join(parent, ".git/_index.json"), "{}")
  await symlink(root, join(parent, "link"))
  const skipped: string[] = []
  const found = await findBundles(parent, (name) => skipped.push(name))
  expect(found.map(({ name }) => name)).toEqual(["b/deep", "harbour log"])
  expect(skipped).toEqual(["link"])
  expect((await findBundles(root)).map(({ name }) => name)).toEqual([root])
  await expect(findBundles(join(parent, "nowhere"))).rejects.toMatchObject({ code: "not_found" })
})
