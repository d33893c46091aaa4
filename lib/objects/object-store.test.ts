import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type FauxqsServer, startFauxqs } from "fauxqs"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createFilesystemStore } from "./filesystem-store.ts"
import { pageImageKey, pagesPrefix, uploadKey } from "./object-key.ts"
import type { ObjectStore } from "./object-store.ts"
import { createS3Store } from "./s3-store.ts"

const CREDENTIALS = { accessKeyId: "test", secretAccessKey: "test" }

let folder: string
let emulator: FauxqsServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "objects-"))
  emulator = await startFauxqs({ port: 0, logger: false, host: "127.0.0.1" })
})
afterAll(async () => {
  await emulator.stop()
  await rm(folder, { recursive: true })
})

function openS3(bucket: string): ObjectStore {
  emulator.createBucket(bucket)
  const endpoint = `http://127.0.0.1:${emulator.port}`
  // Two keys a page, so that three objects need two listings.
  return createS3Store({ bucket, endpoint, credentials: CREDENTIALS, keysPerPage: 2 })
}

const STORES: readonly [name: string, open: (label: string) => ObjectStore][] = [
  ["filesystem", (label) => createFilesystemStore({ folder: join(folder, label) })],
  ["S3", openS3],
]

const bytes = (text: string) => new TextEncoder().encode(text)
const page = (documentId: string, number: number, generation = 1, tenantId = "primary") =>
  pageImageKey({ tenantId, documentId, generation, page: number, mimeType: "image/png" })

async function keysUnder(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys
}

describe.each(STORES)("the store on %s", (name, open) => {
  let store: ObjectStore
  let count = 0
  beforeEach(() => {
    store = open(`${name}-${++count}`.toLowerCase())
  })

  test("gives back what was put, with its type and size, byte for byte", async () => {
    const body = Uint8Array.from({ length: 300_000 }, (_, i) => (i * i) % 251)
    await store.put(page("doc", 1), body, "image/png")
    const stored = await store.get(page("doc", 1))
    // `toEqual` takes seconds for as many bytes.
    expect(Buffer.from(body).equals(stored?.body ?? Buffer.alloc(0))).toBe(true)
    expect(stored?.contentType).toBe("image/png")
    expect(await store.head(page("doc", 1))).toEqual({
      key: page("doc", 1),
      bytes: 300_000,
      contentType: "image/png",
    })
  })

  test.each([
    ["report.pdf", "application/pdf"],
    ["report.pdf", "application/x-other"],
    ["no-extension", "text/html; charset=utf-8"],
    ["letter.constructor", "application/octet-stream"],
  ])("keeps the type of %s as %s", async (fileName, contentType) => {
    const key = uploadKey("primary", "doc", fileName)
    await store.put(key, bytes("x"), contentType)
    expect((await store.get(key))?.contentType).toBe(contentType)
    expect((await store.head(key))?.contentType).toBe(contentType)
  })

  test("a second put replaces body and type", async () => {
    const key = uploadKey("primary", "doc", "a.txt")
    await store.put(key, bytes("a long first version"), "application/x-first")
    await store.put(key, bytes("second"), "text/plain")
    expect(await store.get(key)).toEqual({ body: Buffer.from("second"), contentType: "text/plain" })
    expect(await keysUnder(store, "")).toEqual([key])
  })

  test("files go in and out without passing through memory, with the same results", async () => {
    const key = uploadKey("primary", "doc", "big.bin")
    const source = join(folder, "source")
    const target = join(folder, `target-${name}`)
    const body = Buffer.alloc(3_000_000, "abc")
    await writeFile(source, body)
    await store.putFile(key, source, "application/x-big")
    const stored = await store.get(key)
    expect(body.equals(stored?.body ?? Buffer.alloc(0))).toBe(true)
    expect(stored?.contentType).toBe("application/x-big")
    expect(await store.getFile(key, target, body.length)).toBe(true)
    expect((await readFile(target)).equals(body)).toBe(true)

    // An existing file is never written over.
    await expect(store.getFile(key, target, body.length)).rejects.toMatchObject({ code: "storage_unavailable" })
    expect((await readFile(target)).equals(body)).toBe(true)
    await expect(store.putFile(key, join(folder, "missing"), "a/b")).rejects.toMatchObject({
      code: "storage_unavailable",
    })
    expect((await store.head(key))?.bytes).toBe(body.length)
  })

  test("a file that isn't there or is too large leaves no file behind", async () => {
    const key = uploadKey("primary", "doc", "a.txt")
    const target = join(folder, `none-${name}`)
    expect(await store.getFile(key, target, 10)).toBe(false)
    await store.put(key, bytes("eleven byte"), "text/plain")
    await expect(store.getFile(key, target, 10)).rejects.toMatchObject({ code: "storage_unavailable" })
    await expect(readFile(target)).rejects.toMatchObject({ code: "ENOENT" })
  })

  test("an empty object is an object", async () => {
    await store.put(page("doc", 1), new Uint8Array(), "image/png")
    expect(await store.get(page("doc", 1))).toEqual({ body: Buffer.alloc(0), contentType: "image/png" })
    expect((await store.head(page("doc", 1)))?.bytes).toBe(0)
  })

  test("what isn't there is null, and deleting it is no error", async () => {
    expect(await store.get(page("doc", 1))).toBeNull()
    expect(await store.head(page("doc", 1))).toBeNull()
    await store.delete([page("doc", 1)])
    await store.delete([])
    expect(await keysUnder(store, "pages/")).toEqual([])
  })

  test("the folder of other objects is not an object", async () => {
    await store.put(page("doc", 1), bytes("x"), "image/png")
    expect(await store.get("pages/primary/doc")).toBeNull()
    expect(await store.head("pages/primary/doc")).toBeNull()
    expect(await store.get(`${page("doc", 1)}/below`)).toBeNull()
  })

  test("an object larger than its reader allows is refused, one as large is not", async () => {
    await store.put(page("doc", 1), new Uint8Array(1_000), "image/png")
    await expect(store.get(page("doc", 1), 999)).rejects.toMatchObject({ code: "storage_unavailable" })
    expect((await store.get(page("doc", 1), 1_000))?.body).toHaveLength(1_000)
  })

  test("a deleted object is gone, its neighbours stay", async () => {
    await store.put(page("doc", 1), bytes("1"), "image/x-odd")
    await store.put(page("doc", 2), bytes("2"), "image/png")
    await store.delete([page("doc", 1)])
    expect(await store.get(page("doc", 1))).toBeNull()
    expect(await keysUnder(store, "")).toEqual([page("doc", 2)])
    await store.put(page("doc", 1), bytes("1"), "image/png")
    expect((await store.get(page("doc", 1)))?.contentType).toBe("image/png")
  })

  test("lists in order of key, over several pages, what stands under the prefix alone", async () => {
    // A folder `a` sorts among files as `a/`: after `a-b` and `a.b`, before `a0`.
    const keys = ["a-b", "a.b", "a/a", "a/b/c", "a0", "b"].map((key) => `pages/${key}`)
    for (const key of [...keys].reverse()) await store.put(key, bytes(key), "image/png")
    await store.put("pages2", bytes("beside"), "image/png")
    expect(await keysUnder(store, "pages/")).toEqual(keys)
    expect(await keysUnder(store, "pages/a/")).toEqual(["pages/a/a", "pages/a/b/c"])
    expect(await keysUnder(store, "")).toEqual([...keys, "pages2"])
    for await (const { key, bytes: size } of store.list("pages/")) expect(size).toBe(key.length)
  })

  test("deletes as many objects as it is given, some of them not there, and no other", async () => {
    const mine = Array.from({ length: 1_050 }, (_, i) => page("doc", i))
    const others = [page("doc2", 1), page("doc", 1, 1, "primary2")]
    const stored = [...mine.slice(0, 20), ...mine.slice(-20), ...others]
    for (const key of stored) await store.put(key, bytes("x"), "image/x-odd")
    expect(await keysUnder(store, pagesPrefix("primary", "doc"))).toHaveLength(40)
    await store.delete(mine)
    expect(await keysUnder(store, "")).toEqual([...others].sort())
    expect((await store.get(page("doc2", 1)))?.contentType).toBe("image/x-odd")
  })

  test("keeps hard ids apart and finds each again", async () => {
    const ids = ["../../x", "..", "%2e%2e", "A", "a", "con", "📁/".repeat(200), "é", "e\u0301", "x/".repeat(500)]
    for (const id of ids) await store.put(uploadKey(id, id, id), bytes(id), "text/plain")
    for (const id of ids) expect(Buffer.from((await store.get(uploadKey(id, id, id)))?.body ?? []).toString()).toBe(id)
    await store.delete(ids.map((id) => uploadKey(id, id, id)))
    expect(await keysUnder(store, "uploads/")).toEqual([])
  })

  test.each(["../x", "a/../../x", "/etc/passwd", "a//b", ".types/a", "A", "a\u0000", "a/%2e%2e", ""])(
    "the key %j, which nobody here makes, is refused by every method",
    async (key) => {
      const refused = { code: "internal" }
      await expect(store.put(key, bytes("x"), "text/plain")).rejects.toMatchObject(refused)
      await expect(store.get(key)).rejects.toMatchObject(refused)
      await expect(store.head(key)).rejects.toMatchObject(refused)
      await store.put(page("doc", 1), bytes("x"), "image/png")
      await expect(store.delete([page("doc", 1), key])).rejects.toMatchObject(refused)
      expect(await store.head(page("doc", 1))).not.toBeNull()
      if (name === "S3") await expect(store.presignPut(key, "text/plain", 60)).rejects.toMatchObject(refused)
    },
  )

  test("a prefix without its slash is refused: it would hold a neighbour's objects", async () => {
    await expect(keysUnder(store, "pages/primary/doc")).rejects.toMatchObject({ code: "internal" })
  })

  test("readers see one of the versions that writers put at once, never a mixture", async () => {
    const versions = Array.from({ length: 8 }, (_, i) => Buffer.alloc(200_000 + i, i))
    await store.put(page("doc", 1), versions[0] ?? Buffer.alloc(0), "image/png")
    let writing = true
    const writes = Promise.all(
      versions.map(async (body) => {
        for (let turn = 0; turn < 4; turn++) await store.put(page("doc", 1), body, "image/png")
      }),
    ).finally(() => {
      writing = false
    })
    while (writing) {
      const body = Buffer.from((await store.get(page("doc", 1)))?.body ?? [])
      expect(versions.some((version) => version.equals(body))).toBe(true)
    }
    await writes
  })
})

describe("URLs of S3", () => {
  const key = uploadKey("primary", "a document/with %2e", "relat\u00f3rio (1).pdf")

  test("take an upload of the signed type, with no checksum in them", async () => {
    const store = openS3("signed")
    const put = await store.presignPut(key, "application/pdf", 60)
    const query = new URL(put ?? "").searchParams
    expect([...query.keys()].join()).not.toMatch(/checksum/i)
    expect(query.get("X-Amz-Expires")).toBe("60")
    expect(query.get("X-Amz-SignedHeaders")).toBe("content-type;host")

    const uploaded = await fetch(put ?? "", {
      method: "PUT",
      body: "%PDF-1.7 body",
      headers: { "content-type": "application/pdf" },
    })
    expect(uploaded.status).toBe(200)
    expect(await store.get(key)).toEqual({ body: Buffer.from("%PDF-1.7 body"), contentType: "application/pdf" })
  })

  test("are none on the filesystem", async () => {
    const store = createFilesystemStore({ folder: join(folder, "unsigned") })
    expect(await store.presignPut(key, "application/pdf", 60)).toBeNull()
  })
})
