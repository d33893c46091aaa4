import type { SearchRequest } from "../../lib/search/request.ts"
import type { SearchResponse } from "../../lib/search/response.ts"
import { jsonOf, request } from "../api/call.ts"
import { recordTiming } from "../api/search-timings.ts"

/** `POST /search`, and how long it took for whoever looks at the status. */
export async function askSearch(body: Partial<SearchRequest>, signal: AbortSignal): Promise<SearchResponse> {
  const began = performance.now()
  const response = await request("/search", { body, signal })
  const found = await jsonOf<SearchResponse>(response)
  recordTiming(performance.now() - began, response.headers.get("server-timing"))
  return found
}
