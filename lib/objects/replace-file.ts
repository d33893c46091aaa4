import { randomBytes } from "node:crypto"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { isMissing, removeAbandoned } from "./folder.ts"

/** A deletion may remove the folder between its making and the move into it. */
const MOVES_MAX = 5

/** Puts a file at `path` in one step; `fill` writes it where nobody looks. */
export type ReplaceFile = (path: string, fill: (temporary: string) => Promise<void>) => Promise<void>

/**
 * Replaces files whole or not at all: each is written into `temporaryFolder`, which must be on the same file system, and
 * moved when it is on the disk. What killed processes left there is removed at the first use.
 */
export function createFileReplacer(temporaryFolder: string): ReplaceFile {
  let prepared: Promise<void> | undefined
  return async (path, fill) => {
    prepared ??= prepare(temporaryFolder)
    await prepared.catch((error: unknown) => {
      prepared = undefined
      throw error
    })
    const temporary = join(temporaryFolder, `${process.pid}-${randomBytes(8).toString("hex")}`)
    try {
      await fill(temporary)
      await synced(temporary)
      await moveInto(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }
}

async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await removeAbandoned(folder)
}

/** On the disk before it gets its name: after a power cut a file is there whole or not at all (1 ms for 400 kB). */
async function synced(path: string): Promise<void> {
  const file = await open(path, "r+")
  try {
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
      if (!isMissing(error) || attempt === MOVES_MAX) throw error
      await mkdir(dirname(path), { recursive: true })
    }
  }
}
