import { type QuestionParts, readAnswerQuestions } from "../bench/answer-questions.ts"
import { type AnswerFigures, answerFigures, askAll, openWithSamples } from "../bench/answers.ts"
import { chooseLimits, crossValidate, examplesOf, foundShares, outcomeOf } from "../bench/calibrate-answers.ts"
import { describeMachine } from "../bench/machine.ts"
import { startReadingModel } from "../bench/reading-model.ts"
import { formatTable } from "../bench/table.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import type { Answer } from "../lib/answers/answer.ts"
import { createAnswer } from "../lib/answers/create-answer.ts"
import { pairName } from "../lib/answers/extractive/calibrations.ts"
import { createExtractiveAnswer } from "../lib/answers/extractive/create-extractive-answer.ts"
import type { ChatModel } from "../lib/llm/chat-model.ts"
import { openLlm } from "../lib/llm/open-llm.ts"
import type { Runtime } from "../lib/runtime/open-runtime.ts"
import { createMemoryTokenBudget } from "../lib/token-budget.ts"
import type { Terminal } from "./terminal.ts"

export interface AnswersOptions {
  readonly calibrate?: true
  readonly json?: true
}

/** `bench answers`: asks the questions about the samples of every generator that is there, or chooses the limits of refusal. */
export async function benchAnswers(options: AnswersOptions, terminal: Terminal): Promise<void> {
  const parts = await readAnswerQuestions()
  const runtime = await openWithSamples(configFromEnvironment())
  try {
    if (options.calibrate) await calibrate(runtime, parts, terminal)
    else await measure(runtime, parts, options, terminal)
  } finally {
    await runtime.close()
  }
}

const modelsOf = ({ embedder, reranker }: Runtime["inference"]): string =>
  pairName(embedder?.model ?? "none", reranker?.model ?? "none")

async function measure(runtime: Runtime, parts: QuestionParts, { json }: AnswersOptions, terminal: Terminal) {
  const model = await startReadingModel()
  try {
    await measureAll(generatorsOf(runtime, model.baseUrl), runtime, parts, json, terminal)
  } finally {
    await model.close()
  }
}

/** By the documents' own sentences, by the graph with its double under both graders, and by the language model that is configured. */
function generatorsOf(runtime: Runtime, doubleUrl: string): Readonly<Record<string, Answer>> {
  const config = configFromEnvironment()
  const double = openLlm({ ...config, useVllm: false, llmBaseUrl: doubleUrl, llmModel: "reading double" })
  const real = openLlm(config)
  const graphOf = (llm: ChatModel | null, relevanceGrader: "llm" | "reranker") =>
    createAnswer({
      llm,
      retrieve: runtime.retrieve,
      reranker: runtime.inference.reranker,
      budget: createMemoryTokenBudget(Infinity),
      detector: null,
      extractive: null,
      settings: { ...config, relevanceGrader },
    })
  return {
    extractive: createExtractiveAnswer(runtime.extractive),
    double: graphOf(double, "llm"),
    "double, reranker grades": graphOf(double, "reranker"),
    ...(real && { [real.model]: graphOf(real, "llm"), [`${real.model}, reranker grades`]: graphOf(real, "reranker") }),
  }
}

async function measureAll(
  generators: Readonly<Record<string, Answer>>,
  runtime: Runtime,
  parts: QuestionParts,
  json: boolean | undefined,
  terminal: Terminal,
) {
  const asked = Object.entries(parts).filter(([, questions]) => questions.length > 0)
  const figures: Record<string, AnswerFigures> = {}
  for (const [name, answer] of Object.entries(generators)) {
    for (const [part, questions] of asked) {
      const asking = terminal.progress(`${name}, ${part}`, questions.length)
      const answers = await askAll(answer, questions, (count) => {
        terminal.signal.throwIfAborted()
        asking.at(count)
      }).finally(() => asking.stop())
      figures[`${name}, ${part}`] = answerFigures(answers)
    }
  }
  const right_before_refusal: Record<string, ReturnType<typeof foundShares>> = {}
  for (const [part, questions] of asked)
    right_before_refusal[part] = foundShares(await examplesOf(runtime.extractive, questions))
  const machine = describeMachine()
  const command = "concordance bench answers --json"
  const report = { machine, models: modelsOf(runtime.inference), command, figures, right_before_refusal }
  terminal.line(json ? JSON.stringify(report, null, 2) : formatFigures(figures))
}

function formatFigures(figures: Readonly<Record<string, AnswerFigures>>): string {
  const names = Object.keys(figures)
  const rows = Object.keys(Object.values(figures)[0] ?? {}) as (keyof AnswerFigures)[]
  return formatTable(
    ["", ...names],
    rows.map((row) => [row, ...names.map((name) => String(figures[name]?.[row] ?? "").replace(",", "–"))]),
  )
}

/** Chooses by all but what is yet to report by, among questions that the models had a say in and among those that words decide. */
async function calibrate(runtime: Runtime, { choosing, reported }: QuestionParts, terminal: Terminal): Promise<void> {
  const seen = [...choosing, ...reported]
  const asking = terminal.progress("choosing", seen.length)
  const examples = await examplesOf(runtime.extractive, seen, (count) => {
    terminal.signal.throwIfAborted()
    asking.at(count)
  }).finally(() => asking.stop())
  terminal.line(modelsOf(runtime.inference))
  for (const by of ["models", "words"] as const) {
    const mine = examples.filter(({ byModels }) => byModels === (by === "models"))
    if (mine.length === 0) continue
    const limits = chooseLimits(mine, by)
    terminal.line(`  ${JSON.stringify(limits)}`)
    terminal.line(`    right before any refusal: ${JSON.stringify(foundShares(mine))}`)
    terminal.line(`    chosen on ${mine.length}: ${JSON.stringify(outcomeOf(mine, limits))}`)
    terminal.line(`    cross-validated within them: ${JSON.stringify(crossValidate(mine, by))}`)
  }
}
