import { type Context, Hono } from "hono"
import * as z from "zod"
import { DocumentDetails, DocumentPage, type Documents } from "../../lib/documents/documents.ts"
import type { Receive } from "../../lib/documents/ingest/receive.ts"
import { AppError } from "../../lib/errors.ts"
import { DocumentId } from "../../lib/shapes.ts"
import type { Guard } from "./auth.ts"
import { checkQuery } from "./check-input.ts"
import type { Edge } from "./edge.ts"
import type { Operation } from "./openapi.ts"
import { PageQuery, pageOf } from "./page-query.ts"
import { TenantQuery, tenants } from "./tenant.ts"

const DeleteResponse = z.object({ status: z.literal("deleted") })

/** `GET /documents`, `GET` and `DELETE /documents/{id}`; an id's slashes come percent-encoded. */
export function documentsRoute(documents: Documents, receive: Receive, { guard }: { readonly guard: Guard }) {
  return new Hono<Edge>()
    .get("/documents", guard("search"), async (c) => {
      const page = checkQuery(PageQuery, c.req.query())
      return c.json(await documents.list(await tenants(c)(), pageOf(page)))
    })
    .get("/documents/:id", guard("search"), async (c) => {
      const { tenant, id } = await oneDocument(c, c.req.param("id"))
      // A file that was put to a presigned URL is noticed here where no event tells of it.
      await receive.collect(tenant, id)
      return c.json(await documents.get(tenant, id))
    })
    .delete("/documents/:id", guard("delete"), async (c) => {
      const { tenant, id } = await oneDocument(c, c.req.param("id"))
      if (!(await receive.delete(tenant, id))) throw new AppError("not_found", "There is no document with this id")
      return c.json({ status: "deleted" } satisfies z.infer<typeof DeleteResponse>)
    })
}

async function oneDocument(c: Context<Edge>, param: string) {
  const { id } = checkQuery(z.object({ id: DocumentId }), { id: param })
  return { id, tenant: await tenants(c)() }
}

const one = { path: "/documents/{id}", pathParameters: { id: DocumentId }, query: TenantQuery } as const

export const documentsOperations: readonly Operation[] = [
  {
    method: "get",
    tag: "Documents",
    path: "/documents",
    summary: "List the documents of a tenant, in order of id",
    scope: "search",
    query: PageQuery,
    responses: { 200: { description: "One page", "application/json": ["DocumentPage", DocumentPage] } },
  },
  {
    ...one,
    method: "get",
    tag: "Documents",
    summary: "Describe one document, and how far its latest upload is",
    scope: "search",
    responses: { 200: { description: "The document", "application/json": ["DocumentDetails", DocumentDetails] } },
  },
  {
    ...one,
    method: "delete",
    tag: "Documents",
    summary: "Remove a document with its chunks, vectors and pictures",
    scope: "delete",
    responses: { 200: { description: "It is gone", "application/json": ["DeleteResponse", DeleteResponse] } },
  },
]
