import { mkdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { requireObjectKey } from "../objects/object-key.ts"
import { OBJECT_BYTES_MAX, type ObjectStore } from "../objects/object-store.ts"
import { OBJECTS_FOLDER, type ObjectLine } from "./export-format.ts"
import type { ExportOptions } from "./export-tenants.ts"
import { fileDigest, readLines, writeLines } from "./line-files.ts"

/** Objects fetched side by side. */
const AT_ONCE = 8

/** A line of the file of keys. */
interface NamedObject {
  readonly source_account_id: string
  readonly document_id: string
  readonly key: string
}

/**
 * Copies the objects whose keys a file of lines names into the export, and writes its list of them. One that is there with
 * the right size stays: what stands under a key never changes.
 */
export async function copyObjects(objects: ObjectStore, folder: string, keysPath: string, options: ExportOptions) {
  const { withoutObjects = false, onProgress, signal } = options
  const file = "objects.ndjson.gz"
  const totals = { bytes: 0, missing: 0 }
  const lines = async function* (): AsyncGenerator<readonly string[]> {
    let done = 0
    for await (const some of inGroups(readLines(keysPath), AT_ONCE)) {
      signal?.throwIfAborted()
      const written = await Promise.all(
        some.map((line) => copyOne(objects, folder, JSON.parse(line) as NamedObject, withoutObjects)),
      )
      for (const { bytes, sha256 } of written) {
        totals.bytes += bytes
        if (sha256 === null) totals.missing++
      }
      done += some.length
      onProgress?.("objects", done)
      yield written.map((line) => JSON.stringify(line))
    }
  }
  const { rows, sha256 } = await writeLines(join(folder, file), lines())
  return { file, rows, sha256, ...totals, included: !withoutObjects }
}

async function copyOne(
  objects: ObjectStore,
  folder: string,
  named: NamedObject,
  listOnly: boolean,
): Promise<ObjectLine> {
  const path = join(folder, OBJECTS_FOLDER, ...requireObjectKey(named.key))
  const head = await objects.head(named.key)
  if (!head) return { ...named, bytes: 0, content_type: "", sha256: null }
  const line = { ...named, bytes: head.bytes, content_type: head.contentType }
  const there = await stat(path).catch(() => null)
  if (there?.size === head.bytes && !listOnly) return { ...line, sha256: await fileDigest(path) }
  await mkdir(dirname(path), { recursive: true })
  const part = `${path}.part`
  await rm(part, { force: true })
  const found = await objects.getFile(named.key, part, OBJECT_BYTES_MAX)
  if (!found) return { ...line, bytes: 0, sha256: null }
  const sha256 = await fileDigest(part)
  if (listOnly) await rm(part)
  else await rename(part, path)
  return { ...line, sha256 }
}

/** What an iteration gives, `size` at a time. */
export async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let group: T[] = []
  for await (const item of items) {
    if (group.push(item) < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
