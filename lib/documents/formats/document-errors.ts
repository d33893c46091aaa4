import { AppError } from "../../errors.ts"

/** `document_unreadable`; `reason` is a sentence for the uploader, and holds nothing of the file. */
export function unreadable(reason: string): AppError {
  return new AppError("document_unreadable", reason)
}

/** `document_too_large`; `reason` says which bound was met. */
export function tooLarge(reason: string): AppError {
  return new AppError("document_too_large", reason)
}

/** `document_encrypted`, for every format alike. */
export function encrypted(): AppError {
  return new AppError(
    "document_encrypted",
    "The file is protected by a password or by DRM. Remove the protection first.",
  )
}
