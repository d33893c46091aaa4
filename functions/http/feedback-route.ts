import { Hono } from "hono"
import { type Feedback, FeedbackRequest, FeedbackResponse } from "../../lib/search/feedback.ts"
import type { Guard } from "./auth.ts"
import type { Edge } from "./edge.ts"
import { validJson } from "./json-body.ts"
import type { Operation } from "./openapi.ts"
import { TenantQuery, tenants } from "./tenant.ts"

/** A query of 8,000 characters, each escaped, and ids. */
const BODY_BYTES_MAX = 100_000

/** `POST /feedback`. */
export function feedbackRoute(feedback: Feedback, { guard }: { readonly guard: Guard }) {
  return new Hono<Edge>().post(
    "/feedback",
    guard("search"),
    validJson(FeedbackRequest, { bytesMax: BODY_BYTES_MAX }),
    async (c) => {
      const request = c.req.valid("json")
      const tenant = await tenants(c)(request.source_account_id)
      await feedback.note(tenant, request)
      return c.json({ status: "noted" }, 201)
    },
  )
}

export const feedbackOperations: readonly Operation[] = [
  {
    method: "post",
    tag: "Search",
    path: "/feedback",
    summary: "Say what somebody did with a hit",
    description: "`concordance feedback export` makes judgments of it, by which `concordance tune` learns.",
    scope: "search",
    query: TenantQuery,
    request: { "application/json": ["FeedbackRequest", FeedbackRequest] },
    responses: { 201: { description: "It is noted", "application/json": ["FeedbackResponse", FeedbackResponse] } },
  },
]
