import { Hono } from "hono"
import * as z from "zod"
import { withFolder } from "../../lib/documents/ingest/fetch-upload.ts"
import type { Receive } from "../../lib/documents/ingest/receive.ts"
import { AppError } from "../../lib/errors.ts"
import type { Guard } from "./auth.ts"
import { bodyParts } from "./body-parts.ts"
import type { Edge } from "./edge.ts"
import { requireMediaType, validJson } from "./json-body.ts"
import { formBoundary } from "./multipart.ts"
import type { Operation } from "./openapi.ts"
import { FileName, receiveUpload, UploadFields } from "./receive-upload.ts"
import { TenantQuery, tenants } from "./tenant.ts"

const BODY_BYTES_MAX = 300_000
/** What the form may add to its file: the fields and their heads. */
const FORM_BYTES_MAX = 2_000_000

/** What a body of another type is told to be. */
const WANTED =
  "multipart/form-data with the file in a field `file`, or application/json that asks for a URL to put it to"

interface UploadsRouteOptions {
  readonly guard: Guard
  readonly documentBytesMax: number
  /** Where a form's file lies until it is in the object store. */
  readonly tempFolder: string
}

const UploadForm = UploadFields.extend({
  file: z.string().meta({ format: "binary" }).describe("The file, with its name"),
})

const UploadRequest = UploadFields.extend({
  file_name: FileName.describe("What the file is called; tells only text formats apart"),
  content_type: z
    .string()
    .max(100)
    .regex(/^[\w.+-]+\/[\w.+-]+$/, "must be a media type like application/pdf")
    .default("application/octet-stream")
    .describe("Content type that the PUT will carry"),
})

/** Answer to a form. */
const UploadResponse = z.object({
  id: z.string(),
  status: z.enum(["queued", "processing", "ready"]).describe("`ready`: these very bytes are served already"),
  warnings: z.array(z.string()).optional().describe("Fields that had no effect"),
})

const PresignResponse = z.object({
  id: z.string(),
  upload: z.object({
    url: z.url(),
    method: z.literal("PUT"),
    headers: z.record(z.string(), z.string()),
    expires: z.string().describe("ISO 8601"),
  }),
  warnings: z.array(z.string()).optional(),
})

/** `POST /documents`: a form with a file, or JSON that asks for a URL to put it. */
export function uploadsRoute(receive: Receive, { guard, documentBytesMax, tempFolder }: UploadsRouteOptions) {
  return new Hono<Edge>().post(
    "/documents",
    guard("index"),
    async (c, next) => {
      const boundary = formBoundary(c.req.header("content-type"))
      if (boundary === null) return next()
      requireMediaType(c, /^multipart\/form-data$/, "multipart/form-data")
      if (Number(c.req.header("content-length") ?? 0) > documentBytesMax + FORM_BYTES_MAX) {
        throw new AppError(
          "document_too_large",
          `The file is larger than ${documentBytesMax} bytes (DOCUMENT_BYTES_MAX)`,
        )
      }
      return withFolder(tempFolder, async (folder) => {
        const { fields, fileName, file, warnings } = await receiveUpload(
          bodyParts(c),
          boundary,
          folder,
          documentBytesMax,
        )
        const { id, source_account_id, ...options } = fields
        const added = await receive.add(await tenants(c)(source_account_id), { id, fileName, options }, file)
        const status = added.status === "ignored" ? "ready" : added.status
        const answer = { id: added.id, status, ...(warnings.length > 0 && { warnings: [...warnings] }) }
        return c.json(answer satisfies z.infer<typeof UploadResponse>, 202)
      })
    },
    validJson(UploadRequest, { bytesMax: BODY_BYTES_MAX, wanted: WANTED }),
    async (c) => {
      const { id, source_account_id, file_name, content_type, ...options } = c.req.valid("json")
      const tenant = await tenants(c)(source_account_id)
      const presigned = await receive.presign(tenant, { id, fileName: file_name, options }, content_type)
      if (!presigned) {
        throw new AppError(
          "unsupported_media_type",
          "This object store has no URLs: send the file as multipart/form-data",
        )
      }
      const warnings = c.get("warnings")
      const answer = { ...presigned, ...(warnings.length > 0 && { warnings: [...warnings] }) }
      return c.json(answer satisfies z.infer<typeof PresignResponse>, 202)
    },
  )
}

export const uploadsOperations: readonly Operation[] = [
  {
    method: "post",
    tag: "Documents",
    path: "/documents",
    summary: "Upload a file, or ask for a URL to put it to",
    description:
      "The file is read in the background: `GET /documents/{id}` tells how far it is. What is served under the id stays until then. " +
      "Without a file, JSON is answered with a URL for one PUT, where the object store has URLs; the document is there once the file has come.",
    scope: "index",
    query: TenantQuery,
    request: {
      "multipart/form-data": ["UploadForm", UploadForm],
      "application/json": ["UploadRequest", UploadRequest],
    },
    responses: {
      202: {
        description: "It will be read, or where to put it",
        "application/json": ["UploadResponse", z.union([UploadResponse, PresignResponse])],
      },
    },
  },
]
