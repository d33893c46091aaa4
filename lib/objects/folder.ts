import type { Dirent, Stats } from "node:fs"
import { readdir, rmdir, stat, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { isSegment } from "./object-key.ts"
import type { ObjectSummary } from "./object-store.ts"

/** No write takes as long: whoever began it was killed. */
const ABANDONED_AFTER_MS = 60 * 60_000

/** What a path that isn't there fails with; `ENOTDIR`: a file stands where a folder would. */
const MISSING = ["ENOENT", "ENOTDIR"]

/**
 * The files under `folder` in order of their keys, one folder in memory at a time. `prefix` is the folder's own key,
 * `/` at its end. Names that no key has (`.DS_Store`) and links are left out.
 */
export async function* filesBelow(folder: string, prefix: string): AsyncGenerator<ObjectSummary> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unless(MISSING, [] as Dirent[]))
  for (const { name, isFolder } of inKeyOrder(entries)) {
    const path = join(folder, name)
    if (isFolder) yield* filesBelow(path, `${prefix}${name}/`)
    else {
      const found = await statFile(path)
      if (found) yield { key: prefix + name, bytes: found.size }
    }
  }
}

/** A folder `a` sorts as `a/`: in whole keys `a-1` and `a.b` stand before `a/x`. */
function inKeyOrder(entries: readonly Dirent[]): readonly { readonly name: string; readonly isFolder: boolean }[] {
  return entries
    .filter((entry) => isSegment(entry.name) && (entry.isFile() || entry.isDirectory()))
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .map((entry) => ({ ...entry, order: entry.isFolder ? `${entry.name}/` : entry.name }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
}

/** Null where no file is. */
export async function statFile(path: string): Promise<Stats | null> {
  const found = await stat(path).catch(unless(MISSING, null))
  return found?.isFile() ? found : null
}

/** Removes a file, if it is there, and the folders that this leaves empty, up to `root`, which stays. */
export async function removeFile(path: string, root: string): Promise<void> {
  const removed = await unlink(path).then(() => true, unless([...MISSING, "EISDIR"], false))
  if (!removed) return
  for (let folder = dirname(path); folder !== root && folder.startsWith(root); folder = dirname(folder)) {
    const isEmpty = await rmdir(folder).then(
      () => true,
      unless(["ENOTEMPTY", "EEXIST", "ENOENT", "EBUSY", "EPERM"], false),
    )
    if (!isEmpty) return
  }
}

/** Removes files that a killed process was writing. */
export async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(unless(MISSING, [] as string[]))) {
    const path = join(folder, name)
    const found = await statFile(path)
    if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await unlink(path).catch(unless(MISSING, undefined))
  }
}

/** Whether an error says that a file or a folder above it isn't there. */
export function isMissing(error: unknown): boolean {
  return MISSING.includes(codeOf(error))
}

/** The code of a system error (`ENOSPC`), empty for any other error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : ""
}

/** A handler that gives `value` for errors with one of the codes and passes on all others. */
function unless<T>(codes: readonly string[], value: T): (error: unknown) => T {
  return (error) => {
    if (codes.includes(codeOf(error))) return value
    throw error
  }
}
