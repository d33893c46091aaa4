import type { AnswerEvent } from "../../lib/answers/answer.ts"
import type { AnswerCitation, AnswerResponse, AnswerStep } from "../../lib/answers/response.ts"
import type { ApiFailure } from "../api/api-failure.ts"

/** A step that was begun; `ended` once it has. */
export interface ShownStep {
  readonly node: string
  readonly ended: AnswerStep | null
}

/** What a turn shows of its answer. */
export interface AnswerView {
  readonly phase: "asking" | "done" | "stopped" | "failed"
  /** What was written so far in this round, with citations as `[[doc/p007#c0042]]`. */
  readonly draft: string
  readonly steps: readonly ShownStep[]
  /** Passages that the draft cites, in the order in which it does. */
  readonly cited: readonly AnswerCitation[]
  /** Once it is done. */
  readonly answer: AnswerResponse | null
  readonly failure: ApiFailure | null
}

/** What may happen to it: the stream's events, its end, and what people and networks do. */
export type ViewEvent =
  | AnswerEvent
  | { readonly type: "done"; readonly answer: AnswerResponse }
  | { readonly type: "stopped" }
  | { readonly type: "failed"; readonly failure: ApiFailure }

/** Nothing has come yet. */
export const ASKED: AnswerView = { phase: "asking", draft: "", steps: [], cited: [], answer: null, failure: null }

/** These begin the text anew: what an earlier round wrote was not borne out, not useful, or broke off. */
const BEGINS_ANEW = new Set(["retrieve", "generator"])

/** The view after an event. Once it is over, nothing changes it; a stop or a failure keeps what was written. */
export function viewAfter(view: AnswerView, event: ViewEvent): AnswerView {
  if (view.phase !== "asking") return view
  switch (event.type) {
    case "step":
      return event.status === "started" ? begun(view, event.node) : ended(view, event.step)
    case "token":
      return { ...view, draft: view.draft + event.text }
    case "citation":
      return { ...view, cited: [...view.cited, event.citation] }
    case "done":
      return { ...view, phase: "done", answer: event.answer, steps: stepsOf(view, event.answer) }
    case "stopped":
      return { ...view, phase: "stopped" }
    case "failed":
      return { ...view, phase: "failed", failure: event.failure }
    default:
      // An event of a newer server.
      return view
  }
}

function begun(view: AnswerView, node: string): AnswerView {
  const anew = BEGINS_ANEW.has(node) ? { draft: "", cited: [] } : {}
  // A generator whose text broke off starts again within its one step.
  const isAgain = view.steps.some((step) => step.node === node && step.ended === null)
  return { ...view, ...anew, steps: isAgain ? view.steps : [...view.steps, { node, ended: null }] }
}

function ended(view: AnswerView, step: AnswerStep): AnswerView {
  const at = view.steps.findIndex(({ node, ended }) => node === step.node && ended === null)
  const done = { node: step.node, ended: step }
  return { ...view, steps: at === -1 ? [...view.steps, done] : view.steps.with(at, done) }
}

/** What the stream told; an answer that came in one piece has its steps in `explain` alone. */
function stepsOf(view: AnswerView, { explain = [] }: AnswerResponse): readonly ShownStep[] {
  return view.steps.length > 0 ? view.steps : explain.map((step) => ({ node: step.node, ended: step }))
}
