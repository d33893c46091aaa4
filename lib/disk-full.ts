import { AppError } from "./errors.ts"

/** What a file system says when nothing more fits: the disk, or what its user may have of it. */
const FULL = ["ENOSPC", "EDQUOT"]

/**
 * `storage_full` where a system error says that a disk is full, else null.
 *
 * @param place which disk, for a caller to read: a setting's name, never a path
 */
export function diskFull(error: unknown, place: string): AppError | null {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return FULL.includes(code) ? storageFull(place, error) : null
}

/** The one message of a full disk: which it is, what still works, and what to do. */
export function storageFull(place: string, cause?: unknown): AppError {
  const message = `The disk of ${place} is full. What is there can still be read; free space on it or make it larger, then try again.`
  return new AppError("storage_full", message, { cause })
}
