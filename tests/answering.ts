import type { AnswerEvent } from "../lib/answers/answer.ts"
import { type AnswerDeps, type AnswerSettings, createAnswer } from "../lib/answers/create-answer.ts"
import { AnswerRequest } from "../lib/answers/request.ts"
import { formatCitation } from "../lib/citation.ts"
import { deadlineIn } from "../lib/deadline.ts"
import { type LlmSettings, openLlm } from "../lib/llm/open-llm.ts"
import type { SearchHit } from "../lib/search/response.ts"
import type { RetrieveRequest } from "../lib/search/retrieve.ts"
import { createMemoryTokenBudget } from "../lib/token-budget.ts"
import { type LlmQuestion, type LlmReply, startFakeLlm } from "./fake-llm.ts"

/** The names under which the graph asks the model; `text` is the generator. */
export type AskedName =
  | "RetrievalDecision"
  | "RelevanceGrade"
  | "text"
  | "SupportGrade"
  | "UsefulnessGrade"
  | "RewrittenQuery"
  | "rewritten_question"

/** What the model says when it is asked so, call by call, the last over and over: a label, a text, or anything else of a reply. */
export type Script = Partial<Record<AskedName, readonly (string | LlmReply | null)[]>>

const HAPPY: Record<AskedName, readonly string[]> = {
  RetrievalDecision: ["YES"],
  RelevanceGrade: ["YES"],
  text: ["The tide turns at noon [Doc 1]."],
  SupportGrade: ["fully_supported"],
  UsefulnessGrade: ["useful"],
  RewrittenQuery: ["turn of the tide"],
  rewritten_question: ["When does the tide turn?"],
}

const SETTINGS: AnswerSettings = {
  maxRetries: 3,
  answerConcurrency: 8,
  relevanceGrader: "llm",
  rerankTimeoutMs: 1_000,
  answerTimeoutMs: 20_000,
  answerTokensMax: 50_000,
}

interface AnsweringOptions {
  readonly script?: Script | undefined
  /** In place of the script. */
  readonly reply?: (question: LlmQuestion) => LlmReply | null
  /** What each search finds, the last over and over. */
  readonly found?: readonly (readonly SearchHit[])[]
  readonly settings?: Partial<AnswerSettings>
  readonly deps?: Partial<AnswerDeps>
  readonly llm?: Partial<LlmSettings>
}

/** A passage as the search gives it. */
export function hit(id: string, content: string, more: Partial<SearchHit> = {}): SearchHit {
  const chunk_id = more.chunk_id ?? "c0001"
  return {
    ...{ id, content, chunk_id, source_account_id: "primary", title: `About ${id}`, rrf_score: 0.01, score: 0.5 },
    ...{
      language: "en",
      metadata: {},
      citation: formatCitation({ documentId: id, chunkId: chunk_id, page: more.page }),
    },
    ...more,
  }
}

/** An answer with everything real but the language model, which is the double behind HTTP, and the search. */
export async function startAnswering(options: AnsweringOptions = {}) {
  const { script = {}, found = [[hit("tides", "The tide turns at noon."), hit("moon", "The moon is full.")]] } = options
  const asked = new Map<string, number>()
  const scripted = ({ name }: LlmQuestion): LlmReply | null => {
    const lines = script[name as AskedName] ?? HAPPY[name as AskedName]
    const count = asked.get(name) ?? 0
    asked.set(name, count + 1)
    const line = lines[Math.min(count, lines.length - 1)] ?? null
    return typeof line === "string" ? replyOf(name as AskedName, line) : line
  }
  const llm = await startFakeLlm(options.reply ?? scripted)
  const searches: RetrieveRequest[] = []
  const deps: AnswerDeps = {
    retrieve: async (_, request) => {
      const results = [...(found[Math.min(searches.length, found.length - 1)] ?? [])]
      searches.push(request)
      return { response: { results, count: results.length, strategy: "weighted" }, timings: [] }
    },
    llm: openLlm({
      ...{ useVllm: false, vllmBaseUrl: llm.baseUrl, vllmModel: "m", openrouterModel: "m", llmTemperature: 0 },
      ...{ llmTimeoutMs: 5_000, llmMaxTokens: 4_096, llmBaseUrl: llm.baseUrl, llmModel: "double", ...options.llm },
    }),
    reranker: null,
    budget: createMemoryTokenBudget(2_000_000),
    detector: null,
    settings: { ...SETTINGS, ...options.settings },
    extractive: null,
    ...options.deps,
  }
  const answer = createAnswer(deps)
  const events: AnswerEvent[] = []
  return {
    llm,
    searches,
    events,
    /** Names of the calls, in the order in which they came. */
    calls: () => llm.questions.map(({ name }) => name),
    async ask(request: object = {}, more: { signal?: AbortSignal; onEvent?: (event: AnswerEvent) => void } = {}) {
      const parsed = AnswerRequest.parse({ question: "When does the tide turn?", explain: true, ...request })
      return answer("primary", parsed, deadlineIn(30_000, more.signal), (event) => {
        events.push(event)
        more.onEvent?.(event)
      })
    },
    close: () => llm.close(),
  }
}

/** A label in the shape that it is asked for in. */
export function replyOf(name: AskedName, line: string): LlmReply {
  if (name === "text") return { rawContent: line }
  if (name === "RewrittenQuery") return { content: { query: line } }
  if (name === "rewritten_question") return { content: { question: line } }
  const thought = "It says so."
  if (name === "SupportGrade" || name === "UsefulnessGrade") return { content: { thought, label: line } }
  return { content: { thought, answer: line } }
}
