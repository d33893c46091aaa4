import type { Answer } from "../lib/answers/answer.ts"
import { AnswerRequest } from "../lib/answers/request.ts"
import type { AnswerResponse } from "../lib/answers/response.ts"
import type { Config } from "../lib/config.ts"
import { deadlineIn } from "../lib/deadline.ts"
import { createLog } from "../lib/log.ts"
import { mean } from "../lib/relevance-metrics.ts"
import { loadSamples } from "../lib/runtime/load-samples.ts"
import { openRuntime, type Runtime } from "../lib/runtime/open-runtime.ts"
import type { AnswerQuestion } from "./answer-questions.ts"
import { percentile, round, wilson } from "./metrics.ts"

/** The tenant that the samples are loaded into. */
export const SAMPLES_TENANT = "primary"
/** No answer of a bench is cut short: what is slow shows in its figures. */
const TIMEOUT_MS = 600_000

/** One question with what became of it. */
export interface Asked {
  readonly question: AnswerQuestion
  readonly response: AnswerResponse
  readonly ms: number
  /** Of the processor, by all threads: a busy machine doesn't lengthen it. */
  readonly cpuMs: number
}

/** 95 %. */
type Interval = readonly [number, number]

/** How one generator did. Shares are of the questions they speak of, 0–1; NaN of none. */
export interface AnswerFigures {
  readonly questions: number
  /** Of the answerable: answered, and the first citation is of a document that answers. */
  readonly right_first: number
  readonly right_first_shared_words: number
  readonly right_first_other_words: number
  readonly right_first_95: Interval
  readonly right_first_shared_words_95: Interval
  readonly right_first_other_words_95: Interval
  /** Of the answerable: a sentence of the answer holds the fact. */
  readonly fact_quoted: number
  /** Of all citations of answerable questions: those of a document that answers. */
  readonly citation_precision: number
  /** Of the answerable: some citation is of a document that answers. */
  readonly citation_recall: number
  /** Of the answerable: refused. */
  readonly wrongly_refused: number
  readonly off_topic_refused: number
  readonly near_miss_refused: number
  readonly off_topic_refused_95: Interval
  readonly near_miss_refused_95: Interval
  /** A question, on average. */
  readonly steps: number
  readonly calls: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** Of the prompt tokens: what the model's server had in its cache. */
  readonly cached_share: number
  readonly p50_ms: number
  readonly p95_ms: number
  /** On average. */
  readonly cpu_ms: number
}

/** The product on an embedded database in memory that holds the samples, the PDFs among them read. */
export async function openWithSamples(config: Config): Promise<Runtime> {
  const log = createLog({ level: "error", write: (line) => process.stderr.write(line) })
  const settings = { ...config, embedTimeoutMs: TIMEOUT_MS, rerankTimeoutMs: TIMEOUT_MS }
  const runtime = await openRuntime(settings, { log, databaseHome: "memory://" })
  await loadSamples(runtime)
  await runtime.ingest.idle()
  await runtime.inference.warm()
  return runtime
}

/** Asks the questions one after another. */
export async function askAll(
  answer: Answer,
  questions: readonly AnswerQuestion[],
  onAsked: (count: number) => void = () => {},
): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const question of questions) {
    const request = AnswerRequest.parse({ question: question.question, explain: true })
    const began = performance.now()
    const before = process.cpuUsage()
    const response = await answer(SAMPLES_TENANT, request, deadlineIn(TIMEOUT_MS))
    asked.push({ question, response, ms: performance.now() - began, cpuMs: cpuSince(before) })
    onAsked(asked.length)
  }
  return asked
}

/** The figures of what was asked. */
export function answerFigures(asked: readonly Asked[]): AnswerFigures {
  const answerable = asked.filter(({ question }) => question.sources.length > 0)
  const of = (kind: AnswerQuestion["kind"]) => asked.filter(({ question }) => question.kind === kind)
  const citations = answerable.flatMap(({ question, response }) =>
    response.citations.map(({ id }) => question.sources.includes(id)),
  )
  const usage = (field: "calls" | "prompt_tokens" | "completion_tokens" | "cached_tokens") =>
    mean(asked.map(({ response }) => response.usage[field]))
  const times = asked.map(({ ms }) => ms)
  return {
    questions: asked.length,
    right_first: share(answerable, isRight),
    right_first_shared_words: share(of("answerable"), isRight),
    right_first_other_words: share(of("no_shared_word"), isRight),
    right_first_95: interval(answerable, isRight),
    right_first_shared_words_95: interval(of("answerable"), isRight),
    right_first_other_words_95: interval(of("no_shared_word"), isRight),
    fact_quoted: share(answerable, holdsFact),
    citation_precision: share(citations, (right) => right),
    citation_recall: share(answerable, ({ question, response }) =>
      response.citations.some(({ id }) => question.sources.includes(id)),
    ),
    wrongly_refused: share(answerable, isRefused),
    off_topic_refused: share(of("off_topic"), isRefused),
    near_miss_refused: share(of("near_miss"), isRefused),
    off_topic_refused_95: interval(of("off_topic"), isRefused),
    near_miss_refused_95: interval(of("near_miss"), isRefused),
    steps: round(mean(asked.map(({ response }) => response.explain?.length ?? 0)), 2),
    calls: round(usage("calls"), 2),
    prompt_tokens: round(usage("prompt_tokens"), 0),
    completion_tokens: round(usage("completion_tokens"), 0),
    cached_share: usage("prompt_tokens") > 0 ? round(usage("cached_tokens") / usage("prompt_tokens"), 3) : 0,
    p50_ms: round(percentile(times, 50), 0),
    p95_ms: round(percentile(times, 95), 0),
    cpu_ms: round(mean(asked.map(({ cpuMs }) => cpuMs)), 0),
  }
}

/** Whether the first document cited answers the question. */
export function isRight({ question, response }: Asked): boolean {
  const [first] = response.citations
  return first !== undefined && question.sources.includes(first.id)
}

const isRefused = ({ response }: Asked): boolean => response.refused

function holdsFact({ question, response }: Asked): boolean {
  const quoted = response.sentences.map(({ text }) => text.toLowerCase()).join("\n")
  return !response.refused && question.facts.some((fact) => quoted.includes(fact.toLowerCase()))
}

const share = <T>(items: readonly T[], is: (item: T) => boolean): number =>
  round(items.filter(is).length / items.length, 3)

function interval<T>(items: readonly T[], is: (item: T) => boolean): Interval {
  const [low, high] = wilson(items.filter(is).length, items.length)
  return [round(low, 3), round(high, 3)]
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
