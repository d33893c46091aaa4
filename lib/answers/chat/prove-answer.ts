import { citeSentences } from "../cite-sentences.ts"
import { gradeSentences } from "../grade-sentences.ts"
import { type ModelCalls, tokensOf } from "../model-calls.ts"
import type { AnswerCitation, AnswerSentence, SupportLabel } from "../response.ts"
import { citationOf, type Sources } from "../sources.ts"
import type { Stepper } from "../stepper.ts"
import { saysNotFound } from "./conversation.ts"
import type { Written } from "./find-and-write.ts"

interface ProofDeps {
  readonly question: string
  readonly calls: ModelCalls
  readonly settings: { readonly answerConcurrency: number }
  readonly stepper: Stepper
  readonly refuse: () => Promise<string>
}

/** An answer whose citations are all of passages that were found. */
export interface Proven {
  readonly answer: string
  readonly sentences: AnswerSentence[]
  readonly citations: AnswerCitation[]
  readonly support: SupportLabel | null
  readonly refused: boolean
  readonly removed: number
  readonly degraded: readonly string[]
}

/**
 * Checks what the model cites, and has each sentence graded. A refusal where it says that nothing answers, or where nothing
 * is cited. Throws a tool's failure in place of a refusal that rests on it.
 */
export async function proveAnswer(written: Written, deps: ProofDeps): Promise<Proven> {
  const { text, passages, failures } = written
  const cited = citeSentences(text ?? "", passages, false)
  const gaveUp = text === null || saysNotFound(text)
  const refused = gaveUp || cited.cited.length === 0
  if (refused) {
    const [failure] = failures
    if (failure && passages.length === 0) throw failure
    const refusal = citeSentences(await deps.refuse(), [])
    return {
      answer: refusal.answer,
      sentences: refusal.sentences.map((sentence) => ({ ...sentence, support: null })),
      citations: [],
      support: null,
      refused,
      removed: cited.removed,
      degraded: gaveUp || passages.length === 0 ? [] : ["answer: it cited none of what was found"],
    }
  }
  const sources = cited.cited.flatMap((index) => passages[index] ?? [])
  const { labels, whole, problem } = await graded(cited.sentences, sources, deps)
  return {
    answer: cited.answer,
    sentences: cited.sentences.map((sentence, i) => ({ ...sentence, support: labels[i] ?? null })),
    citations: sources.map(citationOf),
    support: whole,
    refused,
    removed: cited.removed,
    degraded: problem === null ? [] : [`support: ${problem}`],
  }
}

async function graded(
  sentences: readonly Omit<AnswerSentence, "support">[],
  sources: Sources,
  { question, calls, settings, stepper }: ProofDeps,
) {
  const before = calls.usage()
  return stepper.run(
    "support_grader",
    () => gradeSentences({ question, sentences, sources }, calls, settings),
    ({ whole }) => ({
      label: whole ?? "not judged",
      inputs: { sentences: sentences.length, documents: sources.length },
      tokens: tokensOf(calls.usage()) - tokensOf(before),
    }),
  )
}
