import { randomBytes } from "node:crypto"
import { mkdir, open, readFile, rename, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { AppError } from "../errors.ts"
import { contentTypeOf } from "./content-type.ts"
import { filesBelow, removeAbandoned, removeFile, statFile } from "./folder.ts"
import { requireObjectKey, requireObjectPrefix } from "./object-key.ts"
import { OBJECT_BYTES_MAX, type ObjectStore, tooLarge } from "./object-store.ts"

interface FilesystemStoreOptions {
  /** Made when missing. Nothing outside of it is read or written. */
  readonly folder: string
}

/** Removes the folder when something else does between making it and moving a file into it. */
const PUT_ATTEMPTS = 5

/**
 * Objects as plain files: the key is the path under `folder`, so that `aws s3 sync` moves a store into a bucket. A type
 * other than the one the key's extension stands for is kept in a file of the same path under `.types`. What is being
 * written stands in `.tmp` and is moved when it is on the disk. Several processes may share a folder.
 */
export function createFilesystemStore(options: FilesystemStoreOptions): ObjectStore {
  const folder = resolve(options.folder)
  const pathOf = (key: string) => join(folder, ...requireObjectKey(key))
  const typePathOf = (key: string) => join(folder, ".types", ...requireObjectKey(key))
  let cleaned: Promise<void> | undefined

  async function write(path: string, body: Uint8Array | string): Promise<void> {
    const temporary = join(folder, ".tmp", `${process.pid}-${randomBytes(8).toString("hex")}`)
    cleaned ??= removeAbandoned(join(folder, ".tmp"))
    await cleaned
    try {
      await writeSynced(temporary, body)
      await moveInto(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }

  async function typeOf(key: string): Promise<string> {
    const kept = await readFile(typePathOf(key), "utf8").catch(ignoreMissing)
    return kept ?? contentTypeOf(key)
  }

  async function remove(key: string): Promise<void> {
    await removeFile(pathOf(key), folder)
    await removeFile(typePathOf(key), folder)
  }

  return {
    put: (key, body, contentType) =>
      reported(async () => {
        const isPlain = contentType === contentTypeOf(key)
        // The type first: a kill between the two leaves the old bytes under the new type until the write is repeated.
        if (!isPlain) await write(typePathOf(key), contentType)
        await write(pathOf(key), body)
        if (isPlain) await removeFile(typePathOf(key), folder)
      }),

    get: (key, bytesMax = OBJECT_BYTES_MAX) =>
      reported(async () => {
        const file = await open(pathOf(key)).catch(ignoreMissing)
        if (!file) return null
        try {
          const found = await file.stat()
          if (!found.isFile()) return null
          if (found.size > bytesMax) throw tooLarge(bytesMax)
          return { body: await file.readFile(), contentType: await typeOf(key) }
        } finally {
          await file.close()
        }
      }),

    head: (key) =>
      reported(async () => {
        const found = await statFile(pathOf(key))
        return found && { key, bytes: found.size, contentType: await typeOf(key) }
      }),

    delete: (key) => reported(() => remove(key)),

    async *list(prefix) {
      const segments = prefix === "" ? [] : requireObjectPrefix(prefix)
      try {
        yield* filesBelow(join(folder, ...segments), prefix)
      } catch (error) {
        throw described(error)
      }
    },

    deleteAll: (prefix) =>
      reported(async () => {
        let deleted = 0
        for await (const { key } of filesBelow(join(folder, ...requireObjectPrefix(prefix)), prefix)) {
          await remove(key)
          deleted++
        }
        return deleted
      }),

    presignPut: async () => null,
    presignGet: async () => null,
  }
}

/** On the disk before it gets its name: after a power cut a file is there whole or not at all (1 ms for 400 kB). */
async function writeSynced(path: string, body: Uint8Array | string): Promise<void> {
  const file = await open(path, "wx").catch(async (error: unknown) => {
    if (!isMissing(error)) throw error
    await mkdir(dirname(path), { recursive: true })
    return open(path, "wx")
  })
  try {
    await file.writeFile(body)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** A deletion removes folders that it empties, and may do so just after they were made here. */
async function moveInto(temporary: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(temporary, path)
    } catch (error) {
      if (!isMissing(error) || attempt === PUT_ATTEMPTS) throw error
      await mkdir(dirname(path), { recursive: true })
    }
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR"
}

function ignoreMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : ""
}

async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw described(error)
  }
}

/** The folder's path stays in the cause: a caller of the API may read the message. */
function described(error: unknown): AppError {
  if (error instanceof AppError) return error
  const code = codeOf(error)
  const advice =
    code === "ENOSPC" || code === "EDQUOT"
      ? "its disk is full: free space and try again"
      : code === "EACCES" || code === "EPERM" || code === "EROFS"
        ? "the service may not use it: give its user the right to write there"
        : code === "EMFILE" || code === "ENFILE"
          ? "too many files are open: raise the limit of open files"
          : `the file system answered ${code || "with an error"}: see the log`
  return new AppError("storage_unavailable", `The folder of objects under CONCORDANCE_HOME fails: ${advice}`, {
    cause: error,
  })
}
