import { Hono } from "hono"
import * as z from "zod"
import { AnnotationKind } from "../../lib/documents/annotations.ts"
import { type Entities, EntityPage, MentionPage } from "../../lib/documents/entities.ts"
import { StorableText } from "../../lib/shapes.ts"
import type { Guard } from "./auth.ts"
import { checkQuery } from "./check-input.ts"
import type { Edge } from "./edge.ts"
import type { Operation } from "./openapi.ts"
import { PageQuery, pageOf } from "./page-query.ts"
import { tenants } from "./tenant.ts"

const EntitiesQuery = PageQuery.extend({
  q: StorableText.min(1).max(200).optional().describe("Part of a name, in any form; case and accents don't matter"),
  kind: AnnotationKind.optional().describe("`person`, `place`, …"),
})
/** Longer than any id: a kind of 40, a key of 200 code points. */
const EntityId = StorableText.min(1).max(500)

/** `GET /entities`, `GET /entities/{id}/mentions`. */
export function entitiesRoute(entities: Entities, { guard }: { readonly guard: Guard }) {
  return new Hono<Edge>()
    .get("/entities", guard("search"), async (c) => {
      const { q, kind, ...page } = checkQuery(EntitiesQuery, c.req.query())
      const filter = { ...(q !== undefined && { q }), ...(kind !== undefined && { kind }) }
      return c.json(await entities.list(await tenants(c)(), { ...pageOf(page), ...filter }))
    })
    .get("/entities/:id/mentions", guard("search"), async (c) => {
      const { id } = checkQuery(z.object({ id: EntityId }), { id: c.req.param("id") })
      const page = checkQuery(PageQuery, c.req.query())
      return c.json(await entities.mentions(await tenants(c)(), id, pageOf(page)))
    })
}

export const entitiesOperations: readonly Operation[] = [
  {
    method: "get",
    tag: "Documents",
    path: "/entities",
    summary: "List who and what the documents of a tenant name, by kind and name",
    scope: "search",
    query: EntitiesQuery,
    responses: { 200: { description: "One page", "application/json": ["EntityPage", EntityPage] } },
  },
  {
    method: "get",
    tag: "Documents",
    path: "/entities/{id}/mentions",
    summary: "List the places that mention an entity, by document and in reading order",
    scope: "search",
    pathParameters: { id: EntityId },
    query: PageQuery,
    responses: { 200: { description: "One page", "application/json": ["MentionPage", MentionPage] } },
  },
]
