import type { Deadline } from "../../deadline.ts"
import type { DetectLanguage } from "../../detect-language.ts"
import type { Anomalies } from "../../documents/anomalies.ts"
import type { DocumentPages } from "../../documents/document-pages.ts"
import type { ChatModel } from "../../llm/chat-model.ts"
import type { Retrieve } from "../../search/retrieve.ts"
import type { TokenBudget } from "../../token-budget.ts"
import type { Answer, Chat, OnAnswerEvent } from "../answer.ts"
import { answerDeadline } from "../answer-deadline.ts"
import { withModelCalls } from "../model-calls.ts"
import { refusalIn } from "../refusal.ts"
import type { ChatRequest } from "../request.ts"
import type { AnswerResponse } from "../response.ts"
import { createStepper } from "../stepper.ts"
import { createGetPageChunks } from "../tools/get-page-chunks.ts"
import { createHybridSearch } from "../tools/hybrid-search.ts"
import { createListAnomalies } from "../tools/list-anomalies.ts"
import { createReadChunk } from "../tools/read-chunk.ts"
import type { Tool } from "../tools/tool.ts"
import { questionOf } from "./conversation.ts"
import { emitAnswer } from "./emit-answer.ts"
import { findAndWrite } from "./find-and-write.ts"
import { proveAnswer } from "./prove-answer.ts"

/** What the operator decides of a chat; see docs/configuration.md. */
interface ChatSettings {
  readonly answerTimeoutMs: number
  /** Most tokens of one chat, asked and answered. */
  readonly answerTokensMax: number
  readonly answerConcurrency: number
}

export interface ChatDeps {
  /** Null: the extractive answer. */
  readonly llm: ChatModel | null
  readonly retrieve: Retrieve
  readonly pages: DocumentPages
  readonly anomalies: Anomalies
  /** What answers where there is no language model. */
  readonly extractive: Answer
  /** Tells a question's language; null: only requests do that name theirs. */
  readonly detector: (() => Promise<DetectLanguage>) | null
  readonly budget: TokenBudget
  readonly settings: ChatSettings
}

/**
 * The archive's agent (`POST /chat`): the model itself searches and reads, by at most `max_calls` calls, and then answers.
 * What it may cite is what its tools returned in this chat; all else is taken out. Tools run for the tenant that is given,
 * whatever the model writes.
 */
export function createChat(deps: ChatDeps): Chat {
  const { llm } = deps
  return (tenant, request, deadline, onEvent) => {
    if (llm) return converse(deps, llm, tenant, request, deadline, onEvent)
    const { max_calls: _, ...asked } = request
    return deps.extractive(tenant, { ...asked, retrieval: "always" }, deadline, onEvent)
  }
}

async function converse(
  deps: ChatDeps,
  llm: ChatModel,
  tenant: string,
  request: ChatRequest,
  within: Deadline,
  onEvent?: OnAnswerEvent,
): Promise<AnswerResponse> {
  const { budget, settings } = deps
  const { question } = questionOf(request)
  const deadline = answerDeadline(settings.answerTimeoutMs, within)
  const stepper = createStepper(onEvent)
  const { tools, warnings } = toolsFor(deps, request)
  return withModelCalls({ llm, budget, tenant, tokensMax: settings.answerTokensMax, deadline }, async (calls) => {
    const written = await findAndWrite(
      { calls, tools, tokensMax: settings.answerTokensMax, stepper, deadline, tenant },
      request,
    )
    const refuse = async () => refusalIn(request.language ?? (await deps.detector?.())?.(question) ?? null)
    const proven = await proveAnswer(written, { question, calls, settings, stepper, refuse })
    emitAnswer(proven, onEvent)
    const degraded = [...written.degraded, ...proven.degraded]
    return {
      answer: proven.answer,
      sentences: proven.sentences,
      citations: proven.citations,
      support: proven.support,
      useful: null,
      retrieved: written.retrieved,
      refused: proven.refused,
      retries: 0,
      removed_citations: proven.removed,
      generator: llm.model,
      usage: calls.usage(),
      ...(degraded.length > 0 && { degraded }),
      ...(warnings.length > 0 && { warnings }),
      ...(request.explain && { explain: [...stepper.steps] }),
    }
  })
}

/** With a filter only the search is offered: what reads a page or a chunk by its id would pass the filter by. */
function toolsFor({ retrieve, pages, anomalies }: ChatDeps, { filter }: ChatRequest) {
  const search: Tool = createHybridSearch({ retrieve, filter })
  if (filter && Object.keys(filter).length > 0) {
    return { tools: [search], warnings: ["filter: the model could only search; it read no pages, chunks or anomalies"] }
  }
  const tools: Tool[] = [search, createReadChunk(pages), createGetPageChunks(pages), createListAnomalies(anomalies)]
  return { tools, warnings: [] }
}
