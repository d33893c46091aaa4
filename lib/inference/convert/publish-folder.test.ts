import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { publishFolder } from "./publish-folder.ts"

let parent: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "concordance-publish-"))
})
afterEach(() => rm(parent, { recursive: true }))

const versionIn = (folder: string) => readFile(join(folder, "version"), "utf8").catch(() => "none")
const isNew = async (folder: string) => (await versionIn(folder)) === "new"
const fillNew = (folder: string) => writeFile(join(folder, "version"), "new")

test("many publishers at once leave one whole folder and no work folders, also over a stale one", async () => {
  const target = join(parent, "model")
  await mkdir(target)
  await writeFile(join(target, "version"), "old")
  await Promise.all(Array.from({ length: 8 }, () => publishFolder(target, fillNew, isNew)))
  expect(await versionIn(target)).toBe("new")
  expect(await readdir(parent)).toEqual(["model"])
})

test("a failure while filling leaves what was there as it was, and nothing beside it", async () => {
  const target = join(parent, "model")
  await mkdir(target)
  await writeFile(join(target, "version"), "old")
  const fail = () => Promise.reject(new Error("disk full"))
  await expect(publishFolder(target, fail, isNew)).rejects.toThrow("disk full")
  expect(await versionIn(target)).toBe("old")
  expect(await readdir(parent)).toEqual(["model"])
})

test("what a killed process left behind long ago is removed, and a running one's work is not", async () => {
  const abandoned = join(parent, ".model.1-dead")
  await mkdir(abandoned)
  await utimes(abandoned, new Date(0), new Date(0))
  await mkdir(join(parent, ".model.2-alive"))
  await publishFolder(join(parent, "model"), fillNew, isNew)
  expect((await readdir(parent)).sort()).toEqual([".model.2-alive", "model"])
})
