import { type Context, Hono } from "hono"
import * as z from "zod"
import { defuseCsv } from "../../lib/documents/defuse-csv.ts"
import type { DocumentPages } from "../../lib/documents/document-pages.ts"
import { ChunkDetails, ChunkList, PageDetails, PageList } from "../../lib/documents/page-details.ts"
import { invalidField } from "../../lib/errors.ts"
import { DocumentId, StorableText } from "../../lib/shapes.ts"
import type { Guard } from "./auth.ts"
import { checkQuery } from "./check-input.ts"
import type { Edge } from "./edge.ts"
import type { Operation } from "./openapi.ts"
import { pageOf, pageQuery } from "./page-query.ts"
import { TenantQuery, tenants } from "./tenant.ts"

const ListQuery = pageQuery(1_000, 200)
/** A chunk is up to 32,000 characters, and as many again of its translation. */
const ChunksQuery = pageQuery(200, 50)

/** Number of a page or a table in a path. */
export const PathNumber = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, "must be a whole number from 1")
  .transform(Number)

/** Ours are short; a record of another index has an id of its own. */
const ChunkId = StorableText.min(1).max(1_024)
const TableFile = z.string().regex(/^[1-9]\d{0,5}\.csv$/, "must be a number and .csv, like 1.csv")

/** The document that a path names, and whose it is. Throws `invalid_request`. */
export async function documentInPath(c: Context<Edge>): Promise<{ readonly tenant: string; readonly id: string }> {
  const { id } = checkQuery(z.object({ id: DocumentId }), { id: c.req.param("id") ?? "" })
  return { id, tenant: await tenants(c)() }
}

/** `GET /documents/{id}/pages`, `…/pages/{page}`, `…/chunks`, `…/chunks/{chunk}`, `…/tables/{table}.csv`. */
export function documentPagesRoute(pages: DocumentPages, { guard }: { readonly guard: Guard }) {
  const inPath = <Schema extends z.ZodType>(c: Context<Edge>, name: string, schema: Schema): z.output<Schema> => {
    const parsed = schema.safeParse(c.req.param(name))
    if (!parsed.success) throw invalidField(name, parsed.error.issues[0]?.message ?? "is not valid")
    return parsed.data
  }
  return new Hono<Edge>()
    .get("/documents/:id/pages", guard("search"), async (c) => {
      const { tenant, id } = await documentInPath(c)
      const page = checkQuery(ListQuery, c.req.query())
      return c.json(await pages.list(tenant, id, pageOf(page)))
    })
    .get("/documents/:id/pages/:page", guard("search"), async (c) => {
      const { tenant, id } = await documentInPath(c)
      return c.json(await pages.get(tenant, id, inPath(c, "page", PathNumber)))
    })
    .get("/documents/:id/chunks", guard("search"), async (c) => {
      const { tenant, id } = await documentInPath(c)
      const page = checkQuery(ChunksQuery, c.req.query())
      return c.json(await pages.chunks(tenant, id, pageOf(page)))
    })
    .get("/documents/:id/chunks/:chunk", guard("search"), async (c) => {
      const { tenant, id } = await documentInPath(c)
      return c.json(await pages.chunk(tenant, id, inPath(c, "chunk", ChunkId)))
    })
    .get("/documents/:id/tables/:table", guard("search"), async (c) => {
      const { tenant, id } = await documentInPath(c)
      const file = inPath(c, "table", TableFile)
      const csv = await pages.table(tenant, id, Number.parseInt(file, 10))
      return c.body(defuseCsv(csv), 200, {
        "Content-Type": "text/csv; charset=utf-8; header=present",
        "Content-Disposition": `attachment; filename="${file}"`,
      })
    })
}

const get = { method: "get", tag: "Documents", scope: "search" } as const

export const documentPagesOperations: readonly Operation[] = [
  {
    ...get,
    path: "/documents/{id}/pages",
    pathParameters: { id: DocumentId },
    query: ListQuery,
    summary: "List the pages of a document",
    responses: { 200: { description: "Pages in order", "application/json": ["PageList", PageList] } },
  },
  {
    ...get,
    path: "/documents/{id}/pages/{page}",
    pathParameters: { id: DocumentId, page: PathNumber },
    query: TenantQuery,
    summary: "Read one page: its chunks in reading order",
    responses: { 200: { description: "The page", "application/json": ["PageDetails", PageDetails] } },
  },
  {
    ...get,
    path: "/documents/{id}/chunks",
    pathParameters: { id: DocumentId },
    query: ChunksQuery,
    summary: "Read a document from its beginning: its chunks in reading order",
    responses: { 200: { description: "One page of the list", "application/json": ["ChunkList", ChunkList] } },
  },
  {
    ...get,
    path: "/documents/{id}/chunks/{chunk}",
    pathParameters: { id: DocumentId, chunk: ChunkId },
    query: TenantQuery,
    summary: "Read one chunk, or a parent",
    responses: { 200: { description: "The chunk", "application/json": ["ChunkDetails", ChunkDetails] } },
  },
  {
    ...get,
    path: "/documents/{id}/tables/{table}",
    pathParameters: { id: DocumentId, table: TableFile },
    query: TenantQuery,
    summary: "Read a whole table, stitched where it crosses pages",
    responses: {
      200: {
        description: "CSV (RFC 4180). A cell that a spreadsheet would take for a formula begins with an apostrophe",
        "text/csv": ["Csv", z.string()],
      },
    },
  },
]
