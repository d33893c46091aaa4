import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createFilesystemStore } from "./filesystem-store.ts"
import { pageImageKey, uploadKey } from "./object-key.ts"

let home: string
let folder: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "home-"))
  folder = join(home, "objects")
})
afterEach(() => rm(home, { recursive: true }))

const page = (number: number) =>
  pageImageKey({ tenantId: "t", documentId: "d", generation: 1, page: number, mimeType: "image/png" })
const body = new TextEncoder().encode("bytes")

async function filesIn(path: string): Promise<string[]> {
  return (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    .sort()
}

test("an object is a plain file at the path of its key, and hard ids leave nothing outside the folder", async () => {
  const store = createFilesystemStore({ folder })
  await store.put(page(1), body, "image/png")
  for (const id of ["../../x", "..", "%2e%2e/%2e%2e", "/etc/x", "a".repeat(4_096)]) {
    await store.put(uploadKey(id, id, id), body, "application/octet-stream")
  }
  const files = await filesIn(home)
  expect(files).toHaveLength(6)
  expect(files.filter((path) => !path.startsWith("objects/uploads/"))).toEqual(["objects/pages/t/d/1/p0001.png"])
  expect(await readFile(join(folder, page(1)), "utf8")).toBe("bytes")
})

test("lists as S3 does, by bytes", async () => {
  const store = createFilesystemStore({ folder })
  // The emulator of S3 sorts by locale, where `_` comes first, so this stands here and not in the suite of both.
  const keys = ["a-b", "a.b", "a/x", "a0", "a_2f", "ab"]
  for (const key of keys) await store.put(key, body, "image/png")
  const listed: string[] = []
  for await (const { key } of store.list("")) listed.push(key)
  expect(listed).toEqual(keys)
})

test("deleting everything leaves no file and no folder of a document", async () => {
  const store = createFilesystemStore({ folder })
  await store.put(page(1), body, "image/x-odd")
  await store.put(page(2), body, "image/png")
  await store.delete([page(1), page(2)])
  expect(await readdir(folder)).toEqual([".tmp"])
})

test("a file that can't be deleted is an error, after all others were", async () => {
  const store = createFilesystemStore({ folder })
  const pages = Array.from({ length: 40 }, (_, i) => page(i))
  for (const key of pages) await store.put(key, body, "image/png")
  await symlink("loop", join(folder, "pages", "loop"))
  const keys = ["pages/loop/x", ...pages]
  await expect(store.delete(keys)).rejects.toMatchObject({ code: "storage_unavailable" })
  expect(await filesIn(folder)).toEqual([])
})

test("puts and deletions of a document's objects at once lose no object that was put last", async () => {
  const store = createFilesystemStore({ folder })
  const numbers = Array.from({ length: 20 }, (_, i) => i + 1)
  for (let turn = 0; turn < 10; turn++) {
    await Promise.all([
      ...numbers.map((number) => store.put(page(number), body, "image/png")),
      ...numbers.map((number) => store.delete([page(number + 100)])),
    ])
    await store.delete(numbers.map(page))
  }
  await Promise.all([store.put(page(1), body, "image/png"), store.delete([page(2)])])
  expect(await store.get(page(1))).not.toBeNull()
})

test("what a killed process was writing is removed after an hour, what another one writes now is not", async () => {
  await mkdir(join(folder, ".tmp"), { recursive: true })
  await writeFile(join(folder, ".tmp", "1-abandoned"), "x")
  await writeFile(join(folder, ".tmp", "2-current"), "x")
  const anHourAgo = Date.now() / 1000 - 3_700
  await utimes(join(folder, ".tmp", "1-abandoned"), anHourAgo, anHourAgo)
  await createFilesystemStore({ folder }).put(page(1), body, "image/png")
  expect(await readdir(join(folder, ".tmp"))).toEqual(["2-current"])
})

test("files that no key names, links and half-written ones are not listed", async () => {
  const store = createFilesystemStore({ folder })
  await store.put(page(1), body, "image/x-odd")
  await writeFile(join(home, "secret"), "x")
  await symlink(join(home, "secret"), join(folder, "pages", "t", "d", "1", "link.png"))
  await symlink(home, join(folder, "pages", "up"))
  for (const name of [".DS_Store", "Thumbs.db"]) await writeFile(join(folder, "pages", name), "x")
  const keys: string[] = []
  for await (const { key } of store.list("")) keys.push(key)
  expect(keys).toEqual([page(1)])
})

test("a failed put says what to do, names no path and leaves nothing behind", async () => {
  await mkdir(folder)
  await writeFile(join(folder, "pages"), "a file where a folder must be")
  const store = createFilesystemStore({ folder })
  const error = await store.put(page(1), body, "image/png").catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: "storage_unavailable", message: expect.stringMatching(/ENOTDIR|EEXIST/) })
  expect(String(error)).not.toContain(home)
  expect(await readdir(join(folder, ".tmp"))).toEqual([])
})

// Root may write anywhere.
test.skipIf(process.getuid?.() === 0)("a folder without the right to write says whose right is missing", async () => {
  await mkdir(folder)
  await chmod(folder, 0o500)
  const store = createFilesystemStore({ folder })
  await expect(store.put(page(1), body, "image/png")).rejects.toThrow("give its user the right to write")
})
