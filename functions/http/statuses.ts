import type { ErrorCode } from "../../lib/errors.ts"

/** The status of each code, and what a problem of it is called. */
export const STATUSES = {
  invalid_request: [400, "The request is invalid"],
  unauthorized: [401, "An API key is needed"],
  forbidden: [403, "This is not allowed"],
  not_found: [404, "There is no such thing"],
  method_not_allowed: [405, "The method does not fit the resource"],
  body_too_slow: [408, "The body came too slowly"],
  conflict: [409, "The request conflicts with what is stored"],
  payload_too_large: [413, "The body is too large"],
  unsupported_media_type: [415, "The body has the wrong type"],
  document_too_large: [413, "The file is too large"],
  document_unsupported: [415, "The file is of a kind that can't be read here"],
  document_encrypted: [422, "The file needs a password"],
  document_unreadable: [422, "The file can't be read"],
  rate_limited: [429, "Too many requests"],
  too_many_at_once: [429, "Too many requests at once"],
  internal: [500, "Something went wrong here"],
  invalid_configuration: [500, "The service is not configured right"],
  database_unavailable: [503, "The database does not answer"],
  inference_unavailable: [503, "The model does not answer"],
  index_unavailable: [503, "The vector index does not answer"],
  storage_unavailable: [503, "The object store does not answer"],
  overloaded: [503, "There is more to do than can be done"],
  storage_full: [507, "A disk is full"],
  deadline_exceeded: [504, "The answer took too long"],
} as const satisfies Record<ErrorCode, readonly [status: number, title: string]>
