import { AppError } from "../lib/errors.ts"
import { fieldProblems, wording } from "../lib/field-problems.ts"
import { SearchRequest } from "../lib/search/request.ts"

/** The request as `POST /search` would take it. Throws `invalid_request` with each field that is wrong. */
export function readSearchRequest(body: unknown): SearchRequest {
  const parsed = SearchRequest.safeParse(body, { error: wording })
  if (parsed.success) return parsed.data
  throw new AppError("invalid_request", "The search can't be run:", { fields: fieldProblems(parsed.error.issues) })
}
