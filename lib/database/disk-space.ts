import { existsSync, statfsSync } from "node:fs"
import { dirname } from "node:path"
import { storageFull } from "../disk-full.ts"
import type { AppError } from "../errors.ts"

/**
 * Below this a unit of work may only read, bytes. A PostgreSQL in WebAssembly whose log can't grow (16 MB a segment) ends in a
 * loop that blocks the process for good, so the last of the disk is never touched.
 */
const WRITABLE_BYTES_MIN = 128 * 2 ** 20
/** Below this a unit that has begun to write sends no further statement, bytes: two segments for its end, and what others write. */
const STATEMENT_BYTES_MIN = 64 * 2 ** 20
/** What opening may write (recovery after a kill: two segments), bytes. */
const OPEN_BYTES_MIN = 32 * 2 ** 20
/** A new database takes 110 MB. */
const CREATE_BYTES_MIN = 256 * 2 ** 20

/** How much room there is on the embedded database's disk. A look takes 5 µs. */
export interface DiskSpace {
  /** Units that begin now may only read. */
  isLow(): boolean
  /** Throws `storage_full` where not even a unit under way may go on writing. */
  requireRoom(): void
  /** The error of a write that was refused because of `isLow`. */
  failure(cause?: unknown): AppError
}

const PLACE = "CONCORDANCE_HOME"

/** Looks at the disk of `folder`; null, a database in memory, has always room. */
export function createDiskSpace(folder: string | null): DiskSpace {
  const isBelow = (bytes: number) => folder !== null && freeBytes(folder) < bytes
  return {
    isLow: () => isBelow(WRITABLE_BYTES_MIN),
    requireRoom() {
      if (isBelow(STATEMENT_BYTES_MIN)) throw storageFull(PLACE)
    },
    failure: (cause) => storageFull(PLACE, cause),
  }
}

/**
 * Called before an embedded database is opened in `folder`, or made there.
 *
 * @throws AppError `storage_full` where opening it would hang
 */
export function requireRoomToOpen(folder: string): void {
  const isThere = existsSync(folder)
  if (freeBytes(isThere ? folder : dirname(folder)) < (isThere ? OPEN_BYTES_MIN : CREATE_BYTES_MIN)) {
    throw storageFull(PLACE)
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
