import type { Answer, Chat } from "../answers/answer.ts"
import { createChat } from "../answers/chat/chat.ts"
import { answerGraphMermaid, createAnswer } from "../answers/create-answer.ts"
import { createExtractiveAnswer } from "../answers/extractive/create-extractive-answer.ts"
import { createPostgresTokenBudget } from "../answers/postgres-token-budget.ts"
import type { Config } from "../config.ts"
import type { Database } from "../database/database.ts"
import type { Anomalies } from "../documents/anomalies.ts"
import type { DocumentPages } from "../documents/document-pages.ts"
import { openLlm } from "../llm/open-llm.ts"
import { createRetrieve } from "../search/retrieve.ts"
import type { Search, SearchDeps } from "../search/search.ts"
import { createCoverWords } from "../search/word-coverage.ts"

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
  readonly search: Search
  /** What `search` stands on. */
  readonly searching: Pick<SearchDeps, "embedder" | "reranker" | "detector"> & SearchDeps
  readonly pages: DocumentPages
  readonly anomalies: Anomalies
}

/** Opens what answers, by the language model that the settings name or else by the documents' own sentences. */
export function openAnswers({ config, database, search, searching, pages, anomalies }: AnswersParts): Answers {
  const { embedder, reranker, detector } = searching
  const llm = openLlm(config)
  const retrieve = createRetrieve({ ...searching, settings: config })
  const budget = createPostgresTokenBudget(database, config.answerTokensPerDay)
  const coverWords = createCoverWords(database)
  const extractive = createExtractiveAnswer({ search, embedder, reranker, detector, coverWords, settings: config })
  const shared = { llm, retrieve, budget, detector, extractive, settings: config }
  return {
    answer: createAnswer({ ...shared, reranker }),
    chat: createChat({ ...shared, pages, anomalies }),
    drawGraph: answerGraphMermaid,
  }
}
