import { constants } from "node:fs"
import { lstat, open, opendir } from "node:fs/promises"
import { join } from "node:path"
import { refused, tooLarge } from "./bundle-problem.ts"

/** Files that a folder of a bundle may hold. A listing stops there, so that a million of them cost nothing. */
const ENTRIES_MAX = 10_000

/**
 * Names of the plain files in a folder of the bundle, in order of bytes; none when there is no such folder. Hidden ones
 * (`.DS_Store`) are passed over. Throws `document_unreadable` for a symbolic link, `document_too_large` for too many.
 */
export async function listFiles(root: string, folder: string): Promise<string[]> {
  const facts = await lstat(join(root, folder)).catch(() => null)
  if (!facts) return []
  if (!facts.isDirectory()) throw refused(folder, "must be a folder, and no symbolic link")
  const names: string[] = []
  let entries = 0
  for await (const entry of await opendir(join(root, folder))) {
    if (++entries > ENTRIES_MAX) throw tooLarge(folder, `holds more than ${ENTRIES_MAX} files`)
    if (entry.isSymbolicLink())
      throw refused(`${folder}/${entry.name}`, "is a symbolic link; a bundle holds files alone")
    if (entry.isFile() && !entry.name.startsWith(".")) names.push(entry.name)
  }
  return names.sort((a, b) => (a < b ? -1 : 1))
}

/** Names of what stands in the bundle itself: files and folders, hidden ones passed over. Throws as `listFiles` does. */
export async function listTop(root: string): Promise<string[]> {
  const names: string[] = []
  let entries = 0
  for await (const entry of await opendir(root)) {
    if (++entries > ENTRIES_MAX) throw tooLarge("the folder", `holds more than ${ENTRIES_MAX} files`)
    if (entry.isSymbolicLink()) throw refused(entry.name, "is a symbolic link; a bundle holds files alone")
    if (!entry.name.startsWith(".")) names.push(entry.name)
  }
  return names
}

/**
 * The bytes of one file of the bundle; null when there is none. It is opened without following a link or waiting for a
 * pipe, and what grows meanwhile is read no further. Throws `document_unreadable`, `document_too_large`.
 */
export async function readBytes(root: string, name: string, bytesMax: number): Promise<Buffer | null> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const file = await open(join(root, name), flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null
    if (error.code === "ELOOP") throw refused(name, "is a symbolic link; a bundle holds files alone")
    throw refused(name, "can't be read")
  })
  if (!file) return null
  try {
    const facts = await file.stat()
    if (!facts.isFile()) throw refused(name, "is not a plain file")
    if (facts.size > bytesMax) throw tooLarge(name, `is larger than ${megabytes(bytesMax)} MB`)
    const bytes = Buffer.alloc(facts.size)
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  } finally {
    await file.close()
  }
}

/** Its text. Throws `document_unreadable` for what is not UTF-8, and as `readBytes` does. */
export async function readText(root: string, name: string, bytesMax: number): Promise<string | null> {
  const bytes = await readBytes(root, name, bytesMax)
  if (!bytes) return null
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw refused(name, "is not UTF-8 text")
  }
}

const megabytes = (bytes: number): string => String(Math.round(bytes / 10_000) / 100)
