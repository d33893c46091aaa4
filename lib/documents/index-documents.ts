import type { Deadline } from "../deadline.ts"
import type { AppError } from "../errors.ts"
import type { IndexRequest, IndexResponse } from "./index-request.ts"

/** What became of one document of a batch. */
export type IndexOutcome = { readonly id: string } & (
  | { readonly indexed: IndexResponse }
  | { readonly failed: AppError }
)

/**
 * Indexes documents of one tenant: all chunks of a document are replaced in one transaction, or none. One outcome a
 * request, in order; the same id twice leaves the later one.
 */
export type IndexDocuments = (
  tenant: string,
  requests: readonly IndexRequest[],
  deadline: Deadline,
) => Promise<readonly IndexOutcome[]>
