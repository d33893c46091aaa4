import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { IndexRequest } from "./index-request.ts"
import { readFolder } from "./read-folder.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "concordance-read-"))
})
afterEach(() => rm(folder, { recursive: true }))

async function write(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(join(folder, path, ".."), { recursive: true })
  await writeFile(join(folder, path), content)
}

async function read(root = folder): Promise<{ documents: IndexRequest[]; skipped: Record<string, string> }> {
  const skipped: Record<string, string> = {}
  const documents: IndexRequest[] = []
  const note = (path: string, reason: string) => {
    skipped[path] = reason
  }
  for await (const document of readFolder(root, note)) documents.push(document)
  return { documents, skipped }
}

test("gives ids by path without extension, in order, from every depth", async () => {
  await write("b.txt", "two")
  await write("a/z/one.md", "one")
  await write("a/two.MARKDOWN", "three")
  const { documents } = await read()
  expect(documents.map((d) => d.id)).toEqual(["a/two", "a/z/one", "b"])
})

test("keeps both of two files that differ in their extension only", async () => {
  await write("note.md", "Markdown")
  await write("note.txt", "text")
  const { documents } = await read()
  expect(documents.map((d) => [d.id, d.title, d.content])).toEqual([
    ["note", "note", "Markdown"],
    ["note.txt", "note", "text"],
  ])
})

test("takes the title from a first heading and leaves it out of the content", async () => {
  await write("a.md", "\n# The harbour #\n\nShips lie here.\n")
  await write("red-cliff_walk.txt", "No heading.\n# Not first\n")
  await write("c.md", "# Only a title\n")
  const { documents } = await read()
  expect(documents.map((d) => [d.title, d.content])).toEqual([
    ["The harbour", "Ships lie here.\n"],
    ["Only a title", "Only a title"],
    ["red cliff walk", "No heading.\n# Not first\n"],
  ])
})

test("reads front matter into title, language and metadata", async () => {
  await write(
    "a.md",
    '---\ntitle: "Tide: a table"\nlanguage: pt\nyear: 1931\ncode: 007\ndraft: true\ntags: [sea, "low tide"]\nplaces:\n  - mole\n  - bar\n---\n# Heading\nText.',
  )
  const { documents } = await read()
  expect(documents[0]).toMatchObject({
    title: "Tide: a table",
    language: "pt",
    content: "Text.",
    metadata: { year: 1931, code: "007", draft: true, tags: ["sea", "low tide"], places: ["mole", "bar"] },
  })
})

test("takes a number as a title", async () => {
  await write("a.md", "---\ntitle: 1984\n---\nText.")
  const { documents } = await read()
  expect(documents[0]).toMatchObject({ title: "1984" })
})

test("keeps front matter that it doesn't understand as text", async () => {
  const text = "---\nouter:\n  inner: 1\n---\nText."
  await write("a.md", text)
  const { documents } = await read()
  expect(documents[0]).toMatchObject({ content: text, metadata: {} })
})

test("leaves out a file whose front matter says index: false", async () => {
  await write("README.md", "---\nindex: false\n---\n# About\nThese are samples.")
  const { documents, skipped } = await read()
  expect(documents).toEqual([])
  expect(skipped).toEqual({ "README.md": "its front matter says index: false" })
})

test("says what it skips, and why", async () => {
  await write("picture.png", "x")
  await write(".git/config.txt", "x")
  await write("empty.md", "  \n")
  await write("latin.txt", Uint8Array.of(0x63, 0x61, 0x66, 0xe9))
  await write("nul.txt", "a\u0000b")
  await write("huge.txt", "")
  await write("long.md", "x".repeat(4_000_001))
  await truncate(join(folder, "huge.txt"), 12_000_001)
  const { documents, skipped } = await read()
  expect(documents).toEqual([])
  expect(skipped).toEqual({
    ".git": "hidden",
    "picture.png": expect.stringContaining("neither text nor Markdown"),
    "empty.md": "empty",
    "huge.txt": "larger than 12 MB",
    "latin.txt": "not UTF-8 text",
    "long.md": "content: must have at most 4000000 characters",
    "nul.txt": expect.stringContaining("NUL"),
  })
})

test("doesn't follow a link out of the folder", async () => {
  await write("inside/a.md", "mine")
  await write("secret.md", "not yours")
  await symlink(join(folder, "secret.md"), join(folder, "inside/file.md"))
  await symlink(folder, join(folder, "inside/round"))
  const { documents, skipped } = await read(join(folder, "inside"))
  expect(documents.map((d) => d.id)).toEqual(["a"])
  expect(skipped).toEqual({ "file.md": "a symbolic link", round: "a symbolic link" })
})

test("skips a pipe, which may never end, in the folder and by its name", async () => {
  const pipe = join(folder, "pipe.txt")
  await promisify(execFile)("mkfifo", [pipe])
  const skipped = { "pipe.txt": "not a regular file" }
  expect(await read()).toEqual({ documents: [], skipped })
  expect(await read(pipe)).toEqual({ documents: [], skipped })
})

test("reads one file by its name", async () => {
  await write("deep/a.md", "text")
  const { documents } = await read(join(folder, "deep/a.md"))
  expect(documents.map((d) => d.id)).toEqual(["a"])
})

test("names what doesn't exist", async () => {
  await expect(read(join(folder, "nowhere"))).rejects.toMatchObject({ code: "not_found" })
})
