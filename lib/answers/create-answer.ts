import type { DetectLanguage } from "../detect-language.ts"
import { AppError } from "../errors.ts"
import type { Reranker } from "../inference/inference.ts"
import type { ChatModel } from "../llm/chat-model.ts"
import { once } from "../once.ts"
import type { Retrieve } from "../search/retrieve.ts"
import type { TokenBudget } from "../token-budget.ts"
import type { Answer } from "./answer.ts"
import { answerDeadline } from "./answer-deadline.ts"
import { finishAnswer } from "./graph/finish-answer.ts"
import type { GraphRun, GraphSettings } from "./graph/graph-run.ts"
import { SYSTEM } from "./graph/prompts.ts"
import { withModelCalls } from "./model-calls.ts"
import { createRewriteQuestion } from "./rewrite-question.ts"
import { standaloneQuestion } from "./standalone-question.ts"
import { createStepper } from "./stepper.ts"

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
  /** Tells in which language a question is refused; null: only requests do that name theirs. */
  readonly detector: (() => Promise<DetectLanguage>) | null
  readonly settings: AnswerSettings
  readonly extractive: Answer | null
}

const loadGraph = once(async () => (await import("./graph/compile-graph.ts")).compileAnswerGraph())

/** Answers by the graph of docs/architecture.md, or without a language model by `extractive`. */
export function createAnswer(deps: AnswerDeps): Answer {
  const { llm, extractive, settings, budget, detector } = deps
  if (!llm) return extractive ?? noModel
  const rewrite = createRewriteQuestion(llm, SYSTEM)
  return async (tenant, request, within, onEvent = () => {}) => {
    const deadline = answerDeadline(settings.answerTimeoutMs, within)
    return withModelCalls({ llm, budget, tenant, tokensMax: settings.answerTokensMax, deadline }, async (calls) => {
      const run: GraphRun = {
        ...{ tenant, request, settings, deadline, calls, onEvent },
        retrieve: deps.retrieve,
        reranker: deps.reranker,
        degraded: new Set(),
        warnings: new Set(),
        stepper: createStepper(onEvent),
      }
      const question = await standaloneQuestion(run, rewrite)
      const graph = await loadGraph()
      return finishAnswer(await graph.run(question, run), run, detector)
    })
  }
}

/** The graph as a Mermaid flowchart, drawn from what runs. */
export async function answerGraphMermaid(): Promise<string> {
  return (await loadGraph()).mermaid()
}

const noModel: Answer = async () => {
  const message = "There is no language model: set OPENROUTER_API_KEY, LLM_BASE_URL or USE_VLLM, and restart."
  throw new AppError("inference_unavailable", message)
}
