import { AppError, type ErrorCode } from "../../errors.ts"

/** Why a job failed, for its uploader. */
export interface JobFailure {
  readonly code: ErrorCode
  readonly message: string
  /** Time doesn't mend it; otherwise another attempt may succeed. */
  readonly isOfTheFile: boolean
}

/** Errors that time doesn't mend. */
export const CODES_OF_FILES: readonly ErrorCode[] = [
  "document_encrypted",
  "document_unreadable",
  "document_unsupported",
  "document_too_large",
  "invalid_request",
]

/** What may be told of an error: nothing but that it was ours, unless it was made for a person to read. */
export function describeFailure(thrown: unknown): JobFailure {
  if (thrown instanceof AppError && thrown.code !== "internal") {
    return { code: thrown.code, message: thrown.message, isOfTheFile: CODES_OF_FILES.includes(thrown.code) }
  }
  const message = "Something went wrong here while this file was read; the log says what"
  return { code: "internal", message, isOfTheFile: false }
}
