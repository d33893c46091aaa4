import { constants, copyFile, open, readFile, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { diskFull } from "../disk-full.ts"
import { AppError } from "../errors.ts"
import { contentTypeOf } from "./content-type.ts"
import { codeOf, filesBelow, isMissing, removeFile, statFile } from "./folder.ts"
import { requireObjectKey, requireObjectPrefix } from "./object-key.ts"
import { OBJECT_BYTES_MAX, type ObjectStore, tooLarge } from "./object-store.ts"
import { createFileReplacer } from "./replace-file.ts"

/** Files removed side by side: the thread pool of Node has four threads, and a disk a queue. */
const REMOVALS_AT_ONCE = 16

interface FilesystemStoreOptions {
  /** Made when missing. Nothing outside of it is read or written. */
  readonly folder: string
}

/**
 * Objects as plain files: the key is the path under `folder`, so that `aws s3 sync` moves a store into a bucket. A type
 * other than the one the key's extension stands for is kept in a file of the same path under `.types`. What is being
 * written stands in `.tmp` and is moved when it is on the disk. Several processes may share a folder.
 */
export function createFilesystemStore(options: FilesystemStoreOptions): ObjectStore {
  const folder = resolve(options.folder)
  const pathOf = (key: string) => join(folder, ...requireObjectKey(key))
  const typePathOf = (key: string) => join(folder, ".types", ...requireObjectKey(key))
  const replace = createFileReplacer(join(folder, ".tmp"))

  async function typeOf(key: string): Promise<string> {
    const kept = await readFile(typePathOf(key), "utf8").catch(nullIfMissing)
    return kept ?? contentTypeOf(key)
  }

  async function remove(key: string): Promise<void> {
    await removeFile(pathOf(key), folder)
    await removeFile(typePathOf(key), folder)
  }

  async function removeAll(keys: readonly string[]): Promise<void> {
    keys.forEach(requireObjectKey)
    const failed: unknown[] = []
    for (let i = 0; i < keys.length; i += REMOVALS_AT_ONCE) {
      const settled = await Promise.allSettled(keys.slice(i, i + REMOVALS_AT_ONCE).map(remove))
      failed.push(...settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : [])))
    }
    if (failed.length > 0) throw failed[0]
  }

  async function store(key: string, contentType: string, fill: (temporary: string) => Promise<void>): Promise<void> {
    const isPlain = contentType === contentTypeOf(key)
    // The type first: a kill between the two leaves the old bytes under the new type until the write is repeated.
    if (!isPlain) await replace(typePathOf(key), (temporary) => writeFile(temporary, contentType))
    await replace(pathOf(key), fill)
    if (isPlain) await removeFile(typePathOf(key), folder)
  }

  return {
    put: (key, body, contentType) => reported(() => store(key, contentType, (temporary) => writeFile(temporary, body))),

    putFile: (key, path, contentType) =>
      reported(() => store(key, contentType, (temporary) => copyFile(path, temporary, constants.COPYFILE_FICLONE))),

    getFile: (key, path, bytesMax) =>
      reported(async () => {
        const found = await statFile(pathOf(key))
        if (!found) return false
        if (found.size > bytesMax) throw tooLarge(bytesMax)
        const mode = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE
        return copyFile(pathOf(key), path, mode).then(() => true)
      }),

    get: (key, bytesMax = OBJECT_BYTES_MAX) =>
      reported(async () => {
        const file = await open(pathOf(key)).catch(nullIfMissing)
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

    delete: (keys) => reported(() => removeAll(keys)),

    async *list(prefix) {
      const segments = prefix === "" ? [] : requireObjectPrefix(prefix)
      try {
        yield* filesBelow(join(folder, ...segments), prefix)
      } catch (error) {
        throw described(error)
      }
    },

    presignPut: async () => null,
  }
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
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
  const full = diskFull(error, "the folder of objects under CONCORDANCE_HOME")
  if (full) return full
  const code = codeOf(error)
  const advice =
    code === "EACCES" || code === "EPERM" || code === "EROFS"
      ? "the service may not use it: give its user the right to write there"
      : code === "EMFILE" || code === "ENFILE"
        ? "too many files are open: raise the limit of open files"
        : `the file system answered ${code || "with an error"}: see the log`
  return new AppError("storage_unavailable", `The folder of objects under CONCORDANCE_HOME fails: ${advice}`, {
    cause: error,
  })
}
