import { type Context, Hono } from "hono"
import * as z from "zod"
import { untilAborted } from "../../lib/deadline.ts"
import type { PagePicture, PagePictures } from "../../lib/documents/page-pictures.ts"
import { Bbox, PICTURE_WIDTH_MAX, PictureFormat, PictureWidth } from "../../lib/documents/pictures/picture-request.ts"
import { invalidField } from "../../lib/errors.ts"
import { DocumentId, StorableText } from "../../lib/shapes.ts"
import type { Guard } from "./auth.ts"
import { checkQuery } from "./check-input.ts"
import { documentInPath, PathNumber } from "./document-pages-route.ts"
import type { Edge } from "./edge.ts"
import type { Operation } from "./openapi.ts"
import { requestDeadline } from "./request-deadline.ts"
import { TenantQuery } from "./tenant.ts"

/** A year: what stands under a versioned link never changes. Only for whoever asked: it is a tenant's. */
const FOR_EVER = "private, max-age=31536000, immutable"
/** The same path shows the next version, so each use asks whether it is still the same: 304 and no picture. */
const ASK_AGAIN = "private, no-cache"

const ImageQuery = TenantQuery.extend({
  v: z
    .string()
    .max(20)
    .optional()
    .describe("Generation that a link was made for; then the answer may be kept for ever"),
})

const CropQuery = ImageQuery.extend({
  chunk: StorableText.min(1).max(100).optional().describe("Draws the lines of this chunk, with a margin"),
  bbox: Bbox.optional().describe("`x0,y0,x1,y1`, each 0 to 1 of the page from its top left; without chunk"),
  width: PictureWidth.optional().describe(`Of the picture in pixels, at most ${PICTURE_WIDTH_MAX}`),
  format: PictureFormat.default("png"),
  highlight: z.enum(["0", "1"]).default("0").describe("`1`: the whole page, with the chunk or box shaded"),
})

interface PicturesRouteOptions {
  readonly guard: Guard
  /** The store's own patience is longer: a body that stalls is waited for three times 30 s. */
  readonly timeoutMs: number
}

/** `GET /documents/{id}/pages/{page}/image` and `GET /crop/{id}/{page}`. */
export function picturesRoute(pictures: PagePictures, { guard, timeoutMs }: PicturesRouteOptions) {
  const inTime = <T>(c: Context<Edge>, work: Promise<T>): Promise<T> =>
    untilAborted(work, requestDeadline(c, timeoutMs).signal)
  async function answer(c: Context<Edge>, picture: Promise<PagePicture>, asked: string | undefined) {
    const { tag, version, read } = await picture
    const known = (c.req.header("if-none-match") ?? "").split(",").map((each) => each.trim().replace(/^W\//, ""))
    const headers = {
      ETag: tag,
      "Cache-Control": asked !== undefined && asked === version ? FOR_EVER : ASK_AGAIN,
      Vary: "Authorization, x-api-key",
    }
    if (known.includes(tag) || known.includes("*")) return c.body(null, 304, headers)
    const { bytes, mimeType } = await inTime(c, read())
    // A type of our own stores and drawings alone: nothing that a browser would run.
    const type = /^image\/(?:png|webp|jpeg)$/.test(mimeType) ? mimeType : "application/octet-stream"
    const disposition = type.startsWith("image/") ? "inline" : "attachment"
    return c.body(Uint8Array.from(bytes), 200, { ...headers, "Content-Type": type, "Content-Disposition": disposition })
  }
  return new Hono<Edge>()
    .get("/documents/:id/pages/:page/image", guard("search"), async (c) => {
      const { tenant, id } = await documentInPath(c)
      const { v } = checkQuery(ImageQuery, c.req.query())
      return answer(c, pictures.whole(tenant, id, pageInPath(c)), v)
    })
    .get("/crop/:id/:page", guard("search"), async (c) => {
      const { tenant, id } = await documentInPath(c)
      const page = pageInPath(c)
      const { v, chunk, bbox, width, format, highlight } = checkQuery(CropQuery, c.req.query())
      if ((chunk === undefined) === (bbox === undefined)) {
        throw invalidField("chunk", "chunk or bbox is required, and only one of them")
      }
      const request = { chunkId: chunk, box: bbox, width, format, highlight: highlight === "1" }
      return answer(c, pictures.part(tenant, id, page, request), v)
    })
}

function pageInPath(c: Context<Edge>): number {
  const parsed = PathNumber.safeParse(c.req.param("page"))
  if (!parsed.success) throw invalidField("page", "must be a whole number from 1")
  return parsed.data
}

const Picture = ["Picture", z.string().meta({ format: "binary" })] as const

export const picturesOperations: readonly Operation[] = [
  {
    method: "get",
    tag: "Documents",
    path: "/documents/{id}/pages/{page}/image",
    pathParameters: { id: DocumentId, page: PathNumber },
    query: ImageQuery,
    scope: "search",
    summary: "See a page",
    responses: { 200: { description: "The page at 150 dpi", "image/png": Picture, "image/webp": Picture } },
  },
  {
    method: "get",
    tag: "Documents",
    path: "/crop/{id}/{page}",
    pathParameters: { id: DocumentId, page: PathNumber },
    query: CropQuery,
    scope: "search",
    summary: "See a part of a page: a chunk, or any box",
    responses: {
      200: { description: "The picture", "image/png": Picture, "image/webp": Picture, "image/jpeg": Picture },
    },
  },
]
