import { type Deadline, deadlineIn } from "../deadline.ts"
import type { DetectLanguage } from "../detect-language.ts"
import { AppError } from "../errors.ts"
import type { Reranker } from "../inference/inference.ts"
import type { ChatModel, ChatUsage } from "../llm/chat-model.ts"
import { once } from "../once.ts"
import type { Retrieve } from "../search/retrieve.ts"
import type { Answer } from "./answer.ts"
import { finishAnswer } from "./graph/finish-answer.ts"
import type { GraphRun, GraphSettings } from "./graph/graph-run.ts"
import { createModelCalls } from "./model-calls.ts"
import type { Turn } from "./request.ts"
import { standaloneQuestion } from "./standalone-question.ts"
import type { TokenBudget } from "./token-budget.ts"
import { openTokenPurse } from "./token-purse.ts"

/** A conversation's last question as one that stands alone. Throws as `ChatModel.ask` does. */
export type RewriteQuestion = (
  messages: readonly Turn[],
  signal: AbortSignal,
) => Promise<{ readonly question: string; readonly usage: ChatUsage }>

export interface AnswerSettings extends GraphSettings {
  readonly answerTimeoutMs: number
  readonly answerTokensMax: number
}

export interface AnswerDeps {
  readonly retrieve: Retrieve
  /** Null: `extractive` answers. */
  readonly llm: ChatModel | null
  readonly reranker: Reranker | null
  readonly budget: TokenBudget
  readonly rewriteQuestion: RewriteQuestion
  /** Tells in which language a question is refused; null: only requests do that name theirs. */
  readonly detector: (() => Promise<DetectLanguage>) | null
  readonly settings: AnswerSettings
  readonly extractive: Answer | null
}

/** Of the time that the request has left, for the graph; what is left is for the answer that it ends with. */
const GRAPH_SHARE = 0.95

const loadGraph = once(async () => (await import("./graph/compile-graph.ts")).compileAnswerGraph())

/** Answers by the graph of docs/architecture.md, or without a language model by `extractive`. */
export function createAnswer(deps: AnswerDeps): Answer {
  const { llm, extractive, settings, budget, detector } = deps
  if (!llm) return extractive ?? noModel
  return async (tenant, request, within, onEvent = () => {}) => {
    const deadline = graphDeadline(settings.answerTimeoutMs, within)
    const purse = await openTokenPurse({ budget, tenant, tokensMax: settings.answerTokensMax })
    try {
      const calls = createModelCalls(llm, purse, deadline)
      const run: GraphRun = {
        ...{ tenant, request, settings, deadline, calls, onEvent },
        retrieve: deps.retrieve,
        reranker: deps.reranker,
        degraded: new Set(),
        warnings: new Set(),
        steps: [],
      }
      const question = await standaloneQuestion(run, deps.rewriteQuestion)
      const graph = await loadGraph()
      return await finishAnswer(await graph.run(question, run), run, detector)
    } finally {
      // An answer is no worse for it: the tokens stay taken until the day is over.
      await purse.close().catch(() => {})
    }
  }
}

/** The graph as a Mermaid flowchart, drawn from what runs. */
export async function answerGraphMermaid(): Promise<string> {
  return (await loadGraph()).mermaid()
}

function graphDeadline(timeoutMs: number, within: Deadline): Deadline {
  return deadlineIn(Math.min(timeoutMs, within.left() * GRAPH_SHARE), within.signal)
}

const noModel: Answer = async () => {
  const message = "There is no language model: set OPENROUTER_API_KEY, LLM_BASE_URL or USE_VLLM, and restart."
  throw new AppError("inference_unavailable", message)
}
