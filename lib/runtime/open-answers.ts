import type { Answer, Chat } from "../answers/answer.ts"
import { createChat } from "../answers/chat/chat.ts"
import { answerGraphMermaid, createAnswer } from "../answers/create-answer.ts"
import { createExtractiveAnswer } from "../answers/extractive/create-extractive-answer.ts"
import type { EvidenceDeps } from "../answers/extractive/gather-evidence.ts"
import type { Config } from "../config.ts"
import type { Database } from "../database/database.ts"
import type { Anomalies } from "../documents/anomalies.ts"
import type { DocumentPages } from "../documents/document-pages.ts"
import { createPostgresTokenBudget } from "../limits/postgres-token-budget.ts"
import { openLlm } from "../llm/open-llm.ts"
import type { Retrieve } from "../search/retrieve.ts"

/** What answers questions. */
export interface Answers {
  readonly answer: Answer
  readonly chat: Chat
  /** The graph of `answer` as Mermaid. */
  drawGraph(): Promise<string>
}

interface AnswersParts {
  readonly config: Config
  readonly database: Database
  readonly retrieve: Retrieve
  /** What answers without a language model stand on. */
  readonly evidence: EvidenceDeps
  readonly pages: DocumentPages
  readonly anomalies: Anomalies
}

/** Opens what answers: by the language model that the settings name, or else by the documents' own sentences. */
export function openAnswers({ config, database, evidence, ...parts }: AnswersParts): Answers {
  const { reranker, detector } = evidence
  const shared = {
    ...parts,
    llm: openLlm(config),
    budget: createPostgresTokenBudget(database, { purpose: "answers", perDay: config.answerTokensPerDay }),
    detector,
    extractive: createExtractiveAnswer(evidence),
    settings: config,
  }
  return {
    answer: createAnswer({ ...shared, reranker }),
    chat: createChat(shared),
    drawGraph: answerGraphMermaid,
  }
}
