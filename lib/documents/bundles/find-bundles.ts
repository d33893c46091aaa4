import { lstat, opendir, realpath, stat } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "../../errors.ts"
import type { OnSkip } from "../read-folder.ts"
import { BUNDLE_INDEX } from "./read-bundle.ts"

const DEPTH_MAX = 8
/** Files and folders that are looked at. */
const ENTRIES_MAX = 200_000

/** A bundle: `path` on this machine, `name` under the folder that was searched. */
export interface FoundBundle {
  readonly path: string
  readonly name: string
}

/**
 * The bundles under `root`, in order of path: `root` itself if it is one, else every folder with an `_index.json`. Links
 * and hidden folders are not followed. Throws `not_found` when there is no folder at `root`, `document_too_large` for
 * more than 200,000 entries.
 */
export async function findBundles(root: string, onSkip: OnSkip = () => {}): Promise<FoundBundle[]> {
  const real = await realpath(root).catch(() => null)
  if (!real || !(await stat(real)).isDirectory()) {
    throw new AppError("not_found", `There is no folder at ${root}`)
  }
  const found: FoundBundle[] = []
  const counted = { entries: 0 }
  /** Folders still to be looked at, the next one last. */
  const pending = [{ name: "", depth: 0 }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { name, depth } = next
    const path = join(real, name)
    if (await lstat(join(path, BUNDLE_INDEX)).catch(() => null)) {
      found.push({ path, name: name === "" ? root : name })
      continue
    }
    const folders = await listFolders(path, name, counted, onSkip)
    if (depth < DEPTH_MAX) pending.push(...folders.reverse().map((folder) => ({ name: folder, depth: depth + 1 })))
    else if (folders.length > 0) onSkip(name, `folders deeper than ${DEPTH_MAX} levels`)
  }
  return found
}

/** Folders in a folder, by their paths under the root, in order of bytes. */
async function listFolders(path: string, name: string, counted: { entries: number }, onSkip: OnSkip) {
  const folders: string[] = []
  for await (const entry of await opendir(path)) {
    if (++counted.entries > ENTRIES_MAX) {
      throw new AppError("document_too_large", `The folder holds more than ${ENTRIES_MAX} files and folders`)
    }
    const inside = name === "" ? entry.name : `${name}/${entry.name}`
    if (entry.isSymbolicLink()) onSkip(inside, "a symbolic link")
    else if (entry.isDirectory() && !entry.name.startsWith(".")) folders.push(inside)
  }
  return folders.sort((a, b) => (a < b ? -1 : 1))
}
