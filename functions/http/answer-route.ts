import { type Context, Hono } from "hono"
import * as z from "zod"
import type { OnAnswerEvent } from "../../lib/answers/answer.ts"
import { AnswerRequest, ChatRequest } from "../../lib/answers/request.ts"
import { AnswerResponse } from "../../lib/answers/response.ts"
import type { Deadline } from "../../lib/deadline.ts"
import type { Log } from "../../lib/log.ts"
import type { Answers } from "../../lib/runtime/open-answers.ts"
import { streamAnswer, wantsEvents } from "./answer-stream.ts"
import type { Guard } from "./auth.ts"
import type { Edge } from "./edge.ts"
import { validJson } from "./json-body.ts"
import type { Operation } from "./openapi.ts"
import { requestDeadline } from "./request-deadline.ts"
import { TenantQuery, tenants } from "./tenant.ts"

/** Fifty messages of 8,000 characters, in bytes of UTF-8, and a filter. */
const BODY_BYTES_MAX = 2_000_000

interface AnswerRouteOptions {
  readonly guard: Guard
  readonly timeoutMs: number
  /** Longest that one may take which isn't streamed, where what stands before us waits no longer; `timeoutMs` when absent. */
  readonly silentMs?: number
  readonly log: Log
}

/** `POST /answer`, `POST /chat` and `GET /answer/graph`. */
export function answerRoute(
  { answer, chat, drawGraph }: Answers,
  { guard, timeoutMs, silentMs, log }: AnswerRouteOptions,
) {
  const limits = { bytesMax: BODY_BYTES_MAX }
  const respond = (
    c: Context<Edge>,
    run: (deadline: Deadline, onEvent?: OnAnswerEvent) => Promise<AnswerResponse>,
  ): Promise<Response> | Response => {
    const warned = async (answering: Promise<AnswerResponse>): Promise<AnswerResponse> => {
      const response = await answering
      const warnings = [...c.get("warnings"), ...(response.warnings ?? [])]
      return { ...response, ...(warnings.length > 0 && { warnings }) }
    }
    if (!wantsEvents(c)) {
      const deadline = requestDeadline(c, Math.min(timeoutMs, silentMs ?? timeoutMs))
      return warned(run(deadline)).then((response) => c.json(response))
    }
    return streamAnswer(c, log, (onEvent, signal) => warned(run(requestDeadline(c, timeoutMs, signal), onEvent)))
  }
  return new Hono<Edge>()
    .post("/answer", guard("search"), validJson(AnswerRequest, limits), async (c) => {
      const request = c.req.valid("json")
      const tenant = await tenants(c)(request.source_account_id)
      return respond(c, (deadline, onEvent) => answer(tenant, request, deadline, onEvent))
    })
    .post("/chat", guard("search"), validJson(ChatRequest, limits), async (c) => {
      const request = c.req.valid("json")
      const tenant = await tenants(c)(request.source_account_id)
      return respond(c, (deadline, onEvent) => chat(tenant, request, deadline, onEvent))
    })
    .get("/answer/graph", guard("search"), async (c) => c.text(await drawGraph()))
}

const answered = {
  200: {
    description: "The answer; as events where Accept has text/event-stream: step, token, citation, then done or error",
    "application/json": ["AnswerResponse", AnswerResponse],
    "text/event-stream": ["AnswerEvents", z.string().describe("Server-sent events; `done` holds an AnswerResponse")],
  },
} as const

export const answerOperations: readonly Operation[] = [
  {
    method: "post",
    tag: "Answers",
    path: "/answer",
    summary: "Answer a question from the documents, each sentence with its proof",
    description: "Retrieves, grades, writes, checks its own support and usefulness, and refuses where nothing answers.",
    scope: "search",
    query: TenantQuery,
    request: { "application/json": ["AnswerRequest", AnswerRequest] },
    responses: answered,
  },
  {
    method: "post",
    tag: "Answers",
    path: "/chat",
    summary: "Let the language model search by itself, then answer",
    scope: "search",
    query: TenantQuery,
    request: { "application/json": ["ChatRequest", ChatRequest] },
    responses: answered,
  },
  {
    method: "get",
    tag: "Answers",
    path: "/answer/graph",
    summary: "The graph that answers, as Mermaid",
    scope: "search",
    responses: { 200: { description: "Mermaid's text", "text/plain": ["AnswerGraph", z.string()] } },
  },
]
