import { readFile, writeFile } from "node:fs/promises"
import type { ObjectStore, StoredObject } from "../lib/objects/object-store.ts"

/** An object store in memory, and what it holds. It keeps versions, as the bucket does: a delete hides them. */
export function createMemoryObjects(): ObjectStore & { readonly held: Map<string, StoredObject> } {
  const held = new Map<string, StoredObject>()
  const versions: StoredObject[] = []
  const at = (key: string, version?: string) => (version === undefined ? held.get(key) : versions[Number(version)])
  const keys = (prefix: string) => [...held.keys()].filter((key) => key.startsWith(prefix)).sort()
  const put = async (key: string, body: Uint8Array, contentType: string) => {
    const stored = { body, contentType }
    versions.push(stored)
    held.set(key, stored)
  }
  return {
    held,
    put,
    putFile: async (key, path, contentType) => put(key, await readFile(path), contentType),
    async getFile(key, path, _bytesMax, version) {
      const found = at(key, version)
      if (found) await writeFile(path, found.body)
      return found !== undefined
    },
    get: async (key) => held.get(key) ?? null,
    async head(key, version) {
      const found = at(key, version)
      if (!found) return null
      const { body, contentType } = found
      return { key, bytes: body.byteLength, contentType, version: String(versions.indexOf(found)) }
    },
    async delete(keys) {
      for (const key of keys) held.delete(key)
    },
    async *list(prefix) {
      for (const key of keys(prefix)) yield { key, bytes: held.get(key)?.body.byteLength ?? 0 }
    },
    presignPut: async (key) => `https://bucket.test/${key}`,
  }
}
