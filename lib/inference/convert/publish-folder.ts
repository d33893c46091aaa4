import { randomBytes } from "node:crypto"
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"

/** A folder that a process of long ago was filling; a build takes seconds. */
const ABANDONED_AFTER_MS = 10 * 60_000

/**
 * Puts a folder in place in one step: `fill` writes into a folder beside it, which is then renamed. A reader never
 * sees a half-written folder, and of several processes that do this at once the first to finish wins; the others
 * throw their work away when `isCurrent` accepts what the first left.
 *
 * @throws whatever `fill` or the file system throws; nothing is left behind then
 */
export async function publishFolder(
  target: string,
  fill: (folder: string) => Promise<void>,
  isCurrent: (folder: string) => Promise<boolean>,
): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  await removeAbandoned(target)
  const mine = `${workPrefix(target)}${process.pid}-${randomBytes(6).toString("hex")}`
  try {
    await mkdir(mine)
    await fill(mine)
    // Twice, for the one race that is left: another process put its folder there after ours moved the old one away.
    for (let attempt = 0; attempt < 2; attempt++) {
      if (await isCurrent(target)) return
      await moveAway(target, `${mine}-old`)
      if (await movedInto(mine, target)) return
    }
    if (!(await isCurrent(target))) throw new Error(`${target} is being replaced by another process again and again`)
  } finally {
    await rm(mine, { recursive: true, force: true })
    await rm(`${mine}-old`, { recursive: true, force: true })
  }
}

/** Work folders stand beside the target, so that the rename stays within one file system. */
function workPrefix(target: string): string {
  return join(dirname(target), `.${basename(target)}.`)
}

async function moveAway(target: string, aside: string): Promise<void> {
  // What the first attempt moved there is of no use any more, and would be in the second one's way.
  await rm(aside, { recursive: true, force: true })
  try {
    await rename(target, aside)
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error
  }
}

async function movedInto(folder: string, target: string): Promise<boolean> {
  try {
    await rename(folder, target)
    return true
  } catch (error) {
    if (hasCode(error, "ENOTEMPTY", "EEXIST", "EPERM")) return false
    throw error
  }
}

/** What processes that were killed left behind would add up: 114 MB each. */
async function removeAbandoned(target: string): Promise<void> {
  const prefix = basename(workPrefix(target))
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(prefix)) continue
    const path = join(dirname(target), name)
    const modifiedMs = await stat(path).then(
      (found) => found.mtimeMs,
      () => Number.POSITIVE_INFINITY,
    )
    if (Date.now() - modifiedMs > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true })
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code))
}
