import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { listFiles, patternToRegExp } from "./list-files.ts"

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "concordance-files-"))
  for (const name of ["a.pdf", "b.PDF", "notes.txt", "deep/er/c.pdf", "deep/scan.tif", ".hidden.pdf", "odd[1].pdf"]) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), name)
  }
})
afterAll(() => rm(root, { recursive: true }))

const names = async (path: string) => (await listFiles(path)).map(({ name }) => name)

test("a folder gives files of every kind, with ids from their paths", async () => {
  const files = await listFiles(root)
  expect(files.map(({ id }) => id)).toEqual(["a", "b", "deep/er/c", "deep/scan", "notes", "odd[1]"])
})

test.each([
  ["*.pdf", ["a.pdf", "odd[1].pdf"]],
  ["**/*.pdf", ["a.pdf", "deep/er/c.pdf", "odd[1].pdf"]],
  ["deep/**", ["er/c.pdf", "scan.tif"]],
  ["{a,b}.*", ["a.pdf", "b.PDF"]],
  ["?.pdf", ["a.pdf"]],
  ["odd[1].pdf", ["odd[1].pdf"]],
  ["*.docx", []],
])("%s", async (pattern, expected) => {
  expect(await names(join(root, pattern))).toEqual(expected)
})

test("what isn't there is said", async () => {
  await expect(listFiles(join(root, "none.pdf"))).rejects.toMatchObject({ code: "not_found" })
})

test("a pattern is no regular expression", () => {
  expect(patternToRegExp("a.b+(c)|*").test("a.b+(c)|x")).toBe(true)
  expect(patternToRegExp("a.b").test("axb")).toBe(false)
  expect(patternToRegExp("{a.b,c*d}").test("c*d")).toBe(true)
})
