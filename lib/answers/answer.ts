import type { Deadline } from "../deadline.ts"
import type { AnswerRequest, ChatRequest } from "./request.ts"
import type { AnswerCitation, AnswerResponse, AnswerStep } from "./response.ts"

/**
 * What happens while an answer is made, in order. A `step` that starts `retrieve` or `generator` begins the text anew: what
 * an earlier round wrote was not supported, or not useful, or broke off. Where tokens or time run out, the response may be
 * that of an earlier round after all: it counts, and the events are a preview.
 */
export type AnswerEvent =
  | { readonly type: "step"; readonly node: string; readonly status: "started" }
  | { readonly type: "step"; readonly node: string; readonly status: "ended"; readonly step: AnswerStep }
  | { readonly type: "token"; readonly text: string }
  /** A passage is cited by what was written so far. */
  | { readonly type: "citation"; readonly citation: AnswerCitation }

/** Hears of them. */
export type OnAnswerEvent = (event: AnswerEvent) => void

/**
 * Answers a tenant's question from its documents. Throws `invalid_request`, `deadline_exceeded`, `database_unavailable`,
 * `inference_unavailable`, `rate_limited` where the day's tokens are used up, and the signal's reason.
 */
export type Answer = (
  tenant: string,
  request: AnswerRequest,
  deadline: Deadline,
  onEvent?: OnAnswerEvent,
) => Promise<AnswerResponse>

/** The same by a language model that searches by itself. Throws as `Answer` does. */
export type Chat = (
  tenant: string,
  request: ChatRequest,
  deadline: Deadline,
  onEvent?: OnAnswerEvent,
) => Promise<AnswerResponse>
