import { Hono } from "hono"
import * as z from "zod"
import { CollectionTotals, type CountCollection } from "../../lib/documents/collection.ts"
import type { Guard } from "./auth.ts"
import type { Edge } from "./edge.ts"
import type { Operation } from "./openapi.ts"
import { TenantQuery, tenants } from "./tenant.ts"

/** How large an upload may be, bytes. */
const UploadLimits = z.object({
  bytes_max: z.int().describe("Largest file"),
  form_bytes_max: z
    .int()
    .describe("Largest that a form may bring; a larger one is put to a URL, see `POST /documents`"),
})
export type UploadLimits = z.infer<typeof UploadLimits>

const CollectionResponse = CollectionTotals.extend({ upload: UploadLimits })
export type CollectionResponse = z.infer<typeof CollectionResponse>

interface CollectionRouteOptions {
  readonly guard: Guard
  readonly upload: UploadLimits
}

/** `GET /collection`. */
export function collectionRoute(countCollection: CountCollection, { guard, upload }: CollectionRouteOptions) {
  return new Hono<Edge>().get("/collection", guard("search"), async (c) => {
    const totals = await countCollection(await tenants(c)())
    return c.json({ ...totals, upload } satisfies CollectionResponse)
  })
}

export const collectionOperations: readonly Operation[] = [
  {
    method: "get",
    tag: "Documents",
    path: "/collection",
    summary: "Count what a tenant holds, name its latest failures, and say how large a file may be",
    scope: "search",
    query: TenantQuery,
    responses: { 200: { description: "The totals", "application/json": ["Collection", CollectionResponse] } },
  },
]
