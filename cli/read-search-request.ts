import { AppError } from "../lib/errors.ts"
import { SearchRequest } from "../lib/search/request.ts"

/** The request as `POST /search` would take it. Throws `invalid_request` with each field that is wrong. */
export function readSearchRequest(body: unknown): SearchRequest {
  const parsed = SearchRequest.safeParse(body)
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message }))
  throw new AppError("invalid_request", "The search can't be run:", { fields })
}
