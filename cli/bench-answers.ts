import { type QuestionHalves, readAnswerQuestions } from "../bench/answer-questions.ts"
import { type AnswerFigures, answerFigures, askAll, openWithSamples } from "../bench/answers.ts"
import { chooseLimits, crossValidate, examplesOf, outcomeOf } from "../bench/calibrate-answers.ts"
import { describeMachine } from "../bench/machine.ts"
import { startReadingModel } from "../bench/reading-model.ts"
import { formatTable } from "../bench/table.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import type { Answer } from "../lib/answers/answer.ts"
import { createAnswer } from "../lib/answers/create-answer.ts"
import { pairName } from "../lib/answers/extractive/calibrations.ts"
import { createExtractiveAnswer } from "../lib/answers/extractive/create-extractive-answer.ts"
import { createMemoryTokenBudget } from "../lib/answers/token-budget.ts"
import type { ChatModel } from "../lib/llm/chat-model.ts"
import { openLlm } from "../lib/llm/open-llm.ts"
import type { Runtime } from "../lib/runtime/open-runtime.ts"
import type { AnswersOptions } from "./bench.ts"
import type { Terminal } from "./terminal.ts"

/** `bench answers`: asks the questions about the samples of every generator that is there, or chooses the limits of refusal. */
export async function benchAnswers(options: AnswersOptions, terminal: Terminal): Promise<void> {
  const halves = await readAnswerQuestions()
  const runtime = await openWithSamples(configFromEnvironment())
  try {
    if (options.calibrate) await calibrate(runtime, halves, terminal)
    else await measure(runtime, halves, options, terminal)
  } finally {
    await runtime.close()
  }
}

const modelsOf = ({ embedder, reranker }: Runtime["inference"]): string =>
  pairName(embedder?.model ?? "none", reranker?.model ?? "none")

async function measure(runtime: Runtime, halves: QuestionHalves, { json }: AnswersOptions, terminal: Terminal) {
  const model = await startReadingModel()
  try {
    await measureAll(generatorsOf(runtime, model.baseUrl), runtime, halves, json, terminal)
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
  halves: QuestionHalves,
  json: boolean | undefined,
  terminal: Terminal,
) {
  const figures: Record<string, AnswerFigures> = {}
  for (const [name, answer] of Object.entries(generators)) {
    for (const [half, questions] of Object.entries(halves)) {
      const asking = terminal.progress(`${name}, ${half}`, questions.length)
      const asked = await askAll(answer, questions, (count) => {
        terminal.signal.throwIfAborted()
        asking.at(count)
      }).finally(() => asking.stop())
      figures[`${name}, ${half} half`] = answerFigures(asked)
    }
  }
  const machine = describeMachine()
  const report = { machine, models: modelsOf(runtime.inference), command: "concordance bench answers --json", figures }
  terminal.line(json ? JSON.stringify(report, null, 2) : formatFigures(figures))
}

function formatFigures(figures: Readonly<Record<string, AnswerFigures>>): string {
  const names = Object.keys(figures)
  const rows = Object.keys(Object.values(figures)[0] ?? {}) as (keyof AnswerFigures)[]
  return formatTable(
    ["", ...names],
    rows.map((row) => [row, ...names.map((name) => figures[name]?.[row] ?? "")]),
  )
}

/** Chooses by the one half, among questions that the models had a say in and among those that words decide. */
async function calibrate(runtime: Runtime, halves: QuestionHalves, terminal: Terminal): Promise<void> {
  const examples = async (half: keyof QuestionHalves) => {
    const asking = terminal.progress(half, halves[half].length)
    return examplesOf(runtime.extractive, halves[half], (count) => {
      terminal.signal.throwIfAborted()
      asking.at(count)
    }).finally(() => asking.stop())
  }
  const choosing = await examples("choosing")
  const reporting = await examples("reporting")
  terminal.line(modelsOf(runtime.inference))
  for (const by of ["models", "words"] as const) {
    const mine = choosing.filter(({ byModels }) => byModels === (by === "models"))
    if (mine.length === 0) continue
    const limits = chooseLimits(mine, by)
    const others = reporting.filter(({ byModels }) => byModels === (by === "models"))
    terminal.line(`  ${JSON.stringify(limits)}`)
    terminal.line(`    chosen on ${mine.length}: ${JSON.stringify(outcomeOf(mine, limits))}`)
    terminal.line(`    cross-validated within them: ${JSON.stringify(crossValidate(mine, by))}`)
    terminal.line(`    on ${others.length} others: ${JSON.stringify(outcomeOf(others, limits))}`)
  }
}
