import type { Deadline } from "../../deadline.ts"
import type { Reranker } from "../../inference/inference.ts"
import type { Retrieve } from "../../search/retrieve.ts"
import type { OnAnswerEvent } from "../answer.ts"
import type { ModelCalls } from "../model-calls.ts"
import type { AnswerRequest } from "../request.ts"
import type { AnswerStep } from "../response.ts"
import type { AnswerState } from "./state.ts"

/** What the operator decides of an answer; see docs/configuration.md. */
export interface GraphSettings {
  readonly maxRetries: number
  readonly answerConcurrency: number
  readonly relevanceGrader: "llm" | "reranker"
  readonly relevanceScoreMin?: number | undefined
  readonly rerankTimeoutMs: number
}

/** One answer under way: what its nodes stand on, and what they leave beside the state. */
export interface GraphRun {
  readonly tenant: string
  readonly request: AnswerRequest
  readonly settings: GraphSettings
  readonly deadline: Deadline
  readonly calls: ModelCalls
  readonly retrieve: Retrieve
  readonly reranker: Reranker | null
  readonly onEvent: OnAnswerEvent
  /** What the answer had to do without, each once. */
  readonly degraded: Set<string>
  readonly warnings: Set<string>
  readonly steps: AnswerStep[]
}

/** What a node changes, and what there is to say of it. */
export interface NodeResult {
  readonly changes: Partial<AnswerState>
  readonly label?: string
  readonly inputs?: Readonly<Record<string, number>>
}

/** One node of the graph. Throws what ends the answer. */
export type GraphNode = (state: AnswerState, run: GraphRun) => Promise<NodeResult>

/** Most retries of both loops together. */
export const retriesMax = ({ request, settings }: GraphRun): number => request.max_retries ?? settings.maxRetries
