import { Hono } from "hono"
import { AnnotationKind } from "../../lib/documents/annotations.ts"
import { type Anomalies, AnomalyPage } from "../../lib/documents/anomalies.ts"
import { DocumentId } from "../../lib/shapes.ts"
import type { Guard } from "./auth.ts"
import { checkQuery } from "./check-input.ts"
import type { Edge } from "./edge.ts"
import type { Operation } from "./openapi.ts"
import { PageQuery, pageOf } from "./page-query.ts"
import { tenants } from "./tenant.ts"

const AnomaliesQuery = PageQuery.extend({
  document: DocumentId.optional().describe("Of this document alone"),
  kind: AnnotationKind.optional().describe("Of this kind alone"),
})

/** `GET /anomalies`. */
export function anomaliesRoute(anomalies: Anomalies, { guard }: { readonly guard: Guard }) {
  return new Hono<Edge>().get("/anomalies", guard("search"), async (c) => {
    const { document, kind, ...page } = checkQuery(AnomaliesQuery, c.req.query())
    const filter = { ...(document !== undefined && { document }), ...(kind !== undefined && { kind }) }
    return c.json(await anomalies.list(await tenants(c)(), { ...pageOf(page), ...filter }))
  })
}

export const anomaliesOperations: readonly Operation[] = [
  {
    method: "get",
    tag: "Documents",
    path: "/anomalies",
    summary: "List what is odd in the documents of a tenant, by document and in reading order",
    scope: "search",
    query: AnomaliesQuery,
    responses: { 200: { description: "One page", "application/json": ["AnomalyPage", AnomalyPage] } },
  },
]
