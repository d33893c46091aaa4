import { Hono } from "hono"
import type { IndexDocuments } from "../../lib/documents/index-documents.ts"
import { IndexRequest, IndexResponse } from "../../lib/documents/index-request.ts"
import { AppError } from "../../lib/errors.ts"
import type { Log } from "../../lib/log.ts"
import type { Guard } from "./auth.ts"
import { bodyParts } from "./body-parts.ts"
import type { Edge } from "./edge.ts"
import { BatchResult, indexBatch } from "./index-batch.ts"
import { requireMediaType, validJson } from "./json-body.ts"
import type { Operation } from "./openapi.ts"
import { requestDeadline } from "./request-deadline.ts"
import { TenantQuery, tenants } from "./tenant.ts"

/** What API Gateway lets through. */
const BODY_BYTES_MAX = 10_000_000
const NDJSON = "application/x-ndjson"

interface IndexRouteOptions {
  readonly guard: Guard
  /** Time for one document, or for one group of lines of a batch. */
  readonly timeoutMs: number
  readonly log: Log
}

/** `POST /index` and `POST /index/batch`. */
export function indexRoute(indexDocuments: IndexDocuments, { guard, timeoutMs, log }: IndexRouteOptions) {
  return new Hono<Edge>()
    .post("/index", guard("index"), validJson(IndexRequest, { bytesMax: BODY_BYTES_MAX }), async (c) => {
      const request = c.req.valid("json")
      const tenant = await tenants(c)(request.source_account_id)
      const [outcome] = await indexDocuments(tenant, [request], requestDeadline(c, timeoutMs))
      if (!outcome) throw new AppError("internal", "The document had no outcome")
      if ("failed" in outcome) throw outcome.failed
      const warnings = [...c.get("warnings"), ...(outcome.indexed.warnings ?? [])]
      return c.json({ status: "indexed", ...(warnings.length > 0 && { warnings }) } satisfies IndexResponse, 201)
    })
    .post("/index/batch", guard("index"), (c) => {
      requireMediaType(c, /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|json)$/, NDJSON)
      const tenantOf = tenants(c)
      const results = indexBatch(bodyParts(c), {
        indexDocuments,
        tenantOf: (request) => tenantOf(request.source_account_id),
        deadline: () => requestDeadline(c, timeoutMs),
        lineBytesMax: BODY_BYTES_MAX,
        onFailure: (error) => log.error("batch failed", { requestId: c.get("requestId"), error }),
      })
      return c.body(results, 200, { "Content-Type": NDJSON })
    })
}

export const indexOperations: readonly Operation[] = [
  {
    method: "post",
    tag: "Documents",
    path: "/index",
    summary: "Add a document, or replace the one with its id",
    scope: "index",
    query: TenantQuery,
    request: { "application/json": ["IndexRequest", IndexRequest] },
    responses: { 201: { description: "It can be found now", "application/json": ["IndexResponse", IndexResponse] } },
  },
  {
    method: "post",
    tag: "Documents",
    path: "/index/batch",
    summary: "Add documents, one JSON object a line; answers a line for each as it goes",
    description:
      "A line that fails fails alone. Read the answer while you send: when more than 8 MB of it wait unread, reading pauses.",
    scope: "index",
    query: TenantQuery,
    request: { [NDJSON]: ["IndexRequest", IndexRequest] },
    responses: { 200: { description: "One result a line, in order", [NDJSON]: ["BatchResult", BatchResult] } },
  },
]
