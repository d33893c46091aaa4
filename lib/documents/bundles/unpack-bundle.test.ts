import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { zipOf } from "../../../tests/document-files.ts"
import { unpackBundle } from "./unpack-bundle.ts"

let outside: string
let folder: string
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), "unpack-"))
  folder = join(outside, "bundle")
})
afterEach(() => rm(outside, { recursive: true }))

test.each(["", "inquiry-1934/", "/"])("a bundle packed under %j lies in the folder as it was", async (root) => {
  const files = { "_index.json": "{}", "chunks/c0001.md": "---\n---\nText", "images/IMG-c0001.png": "png" }
  const packed = zipOf({
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [root + name, text])),
    "__MACOSX/._index.json": "x",
    [`${root}.DS_Store`]: "x",
  })
  expect(await unpackBundle(packed, folder)).toEqual([])
  for (const [name, text] of Object.entries(files)) expect(await readFile(join(folder, name), "utf8")).toBe(text)
})

test("no name leads out of the folder or to another place in it", async () => {
  const hostile = [
    "../escaped.md",
    "chunks/../../escaped.md",
    "chunks/a/b.md",
    "chunks/..",
    "tables/..\\..\\x.csv",
    "/etc/x",
  ]
  const parts = Object.fromEntries(hostile.map((name) => [name, "x"]))
  const passedOver = await unpackBundle(zipOf({ "_index.json": "{}", ...parts, "chunks/a\u0000.md": "x" }), folder)
  expect(passedOver).toHaveLength(hostile.length + 1)
  expect(await readdir(outside)).toEqual(["bundle"])
  expect(await readdir(folder, { recursive: true })).toEqual(["_index.json"])
})

test("what holds no bundle, or several, or is no archive is refused", async () => {
  const two = zipOf({ "a/_index.json": "{}", "b/_index.json": "{}" })
  await expect(unpackBundle(two, folder)).rejects.toThrow("the archive: holds 2 bundles")
  await expect(unpackBundle(zipOf({ "a.md": "x" }), folder)).rejects.toThrow("holds 0 bundles")
  await expect(unpackBundle(Buffer.from("no archive"), folder)).rejects.toMatchObject({ code: "document_unreadable" })
})
