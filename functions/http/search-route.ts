import { Hono } from "hono"
import { SearchRequest } from "../../lib/search/request.ts"
import { SearchResponse } from "../../lib/search/response.ts"
import type { Search } from "../../lib/search/search.ts"
import type { Guard } from "./auth.ts"
import type { Edge } from "./edge.ts"
import { validJson } from "./json-body.ts"
import type { Operation } from "./openapi.ts"
import { requestDeadline } from "./request-deadline.ts"
import { TenantQuery, tenants } from "./tenant.ts"

/** A query of 8,000 characters and a vector of 4,000 numbers are 130 kB; the rest is for filters and for a clear 400. */
const BODY_BYTES_MAX = 2_000_000

interface SearchRouteOptions {
  readonly guard: Guard
  readonly timeoutMs: number
}

/** `POST /search`. SQL, scoring and configuration live behind `search`, so a test passes a function. */
export function searchRoute(search: Search, { guard, timeoutMs }: SearchRouteOptions) {
  return new Hono<Edge>().post(
    "/search",
    guard("search"),
    validJson(SearchRequest, { bytesMax: BODY_BYTES_MAX }),
    async (c) => {
      const request = c.req.valid("json")
      const tenant = await tenants(c)(request.source_account_id)
      const { response } = await search(tenant, request, requestDeadline(c, timeoutMs))
      const warnings = [...c.get("warnings"), ...(response.warnings ?? [])]
      return c.json({ ...response, ...(warnings.length > 0 && { warnings }) } satisfies SearchResponse)
    },
  )
}

export const searchOperations: readonly Operation[] = [
  {
    method: "post",
    tag: "Search",
    path: "/search",
    summary: "Find documents by meaning and by words",
    scope: "search",
    query: TenantQuery,
    request: { "application/json": ["SearchRequest", SearchRequest] },
    responses: { 200: { description: "The hits, best first", "application/json": ["SearchResponse", SearchResponse] } },
  },
]
