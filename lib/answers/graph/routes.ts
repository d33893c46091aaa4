import { type GraphRun, retriesMax } from "./graph-run.ts"
import type { AnswerState } from "./state.ts"

/** Where the graph goes from the nodes that have a choice. `end` ends it. */
export const ROUTES = {
  retrieval_decision: ["retrieve", "generator"],
  relevance_grader: ["context_builder", "increment_retry_for_retrieval", "end"],
  generator: ["support_grader", "usefulness_grader", "end"],
  support_grader: ["usefulness_grader", "increment_retry"],
  usefulness_grader: ["increment_retry_for_retrieval", "end"],
} as const

type Route<Node extends keyof typeof ROUTES> = (state: AnswerState, run: GraphRun) => (typeof ROUTES)[Node][number]

export const afterDecision: Route<"retrieval_decision"> = ({ searches }) => (searches ? "retrieve" : "generator")

/** Nothing relevant: the question is searched for once in other words, and then refused. */
export const afterRelevance: Route<"relevance_grader"> = (state, run) => {
  if (state.relevant.length > 0) return "context_builder"
  return state.searchCount < SEARCHES_FOR_NOTHING_MAX && mayRetry(state, run) ? "increment_retry_for_retrieval" : "end"
}

/** A generator that was out of tokens or time leaves nothing new to judge. */
export const afterGenerator: Route<"generator"> = ({ searches, isCutShort }) => {
  if (isCutShort) return "end"
  return searches ? "support_grader" : "usefulness_grader"
}

export const afterSupport: Route<"support_grader"> = (state, run) =>
  state.wholeSupport === "not_supported" && mayRetry(state, run) ? "increment_retry" : "usefulness_grader"

/** A request that wants no documents gets none, however useless the answer is. */
export const afterUsefulness: Route<"usefulness_grader"> = (state, run) =>
  state.isUseful === false && run.request.retrieval !== "never" && mayRetry(state, run)
    ? "increment_retry_for_retrieval"
    : "end"

const mayRetry = ({ retryCount }: AnswerState, run: GraphRun): boolean =>
  retryCount < retriesMax(run) && !run.calls.isOver()

/** Searches that may all have found nothing relevant: the question's own, and one in other words. */
const SEARCHES_FOR_NOTHING_MAX = 2
