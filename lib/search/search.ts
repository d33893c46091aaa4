import type { Deadline } from "../deadline.ts"
import type { SearchRequest } from "./request.ts"
import type { SearchResponse } from "./response.ts"

/** How long each stage took, ms, in the order they ran: what `Server-Timing` shows. */
export type Timings = readonly { readonly stage: string; readonly ms: number }[]

export interface Found {
  readonly response: SearchResponse
  readonly timings: Timings
}

/** The retrieval pipeline over one tenant's chunks. Throws `invalid_request`, `database_unavailable`. */
export type Search = (tenant: string, request: SearchRequest, deadline: Deadline) => Promise<Found>
