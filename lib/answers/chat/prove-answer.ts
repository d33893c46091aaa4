import { AppError } from "../../errors.ts"
import { type ChatUsage, UselessReply } from "../../llm/chat-model.ts"
import { citeSentences } from "../cite-sentences.ts"
import type { AnswerCitation, AnswerSentence, SupportLabel } from "../response.ts"
import { citationOf, type Sources } from "../sources.ts"
import { saysNotFound } from "./conversation.ts"
import type { Written } from "./find-and-write.ts"
import type { Ledger } from "./ledger.ts"

/** How far the sources bear each sentence out, in the order of the sentences. Throws as `ChatModel.ask` does. */
export type GradeSupport = (
  question: string,
  sentences: readonly Omit<AnswerSentence, "support">[],
  sources: Sources,
  signal: AbortSignal,
) => Promise<{ readonly labels: readonly SupportLabel[]; readonly usages: readonly ChatUsage[] }>

interface ProofDeps {
  readonly question: string
  readonly ledger: Ledger
  readonly refuse: () => Promise<string>
  readonly gradeSupport: GradeSupport | undefined
  readonly signal: AbortSignal
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

/** `[Doc 1]`: a chat's passages have no numbers, so it is nobody's. */
const NUMBERED = /\[\s*docs?\.?\s*#?\s*\d[^[\]]*\](?!\])/giu

/**
 * Checks what the model cites, and has it graded where somebody grades. A refusal where it says that nothing answers, or
 * where nothing was found and nothing is cited. Throws a tool's failure in place of a refusal that rests on it.
 */
export async function proveAnswer(written: Written, deps: ProofDeps): Promise<Proven> {
  const { text, passages, failures } = written
  const cited = citeSentences((text ?? "").replace(NUMBERED, "[[?]]"), passages)
  const refused = text === null || saysNotFound(text) || (passages.length === 0 && cited.cited.length === 0)
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
      degraded: [],
    }
  }
  const sources = cited.cited.flatMap((index) => passages[index] ?? [])
  const { labels, degraded } = await graded(cited.sentences, sources, deps)
  return {
    answer: cited.answer,
    sentences: cited.sentences.map((sentence, i) => ({ ...sentence, support: labels[i] ?? null })),
    citations: sources.map(citationOf),
    support: overall(labels),
    refused,
    removed: cited.removed,
    degraded,
  }
}

async function graded(
  sentences: readonly Omit<AnswerSentence, "support">[],
  sources: Sources,
  { question, ledger, gradeSupport, signal }: ProofDeps,
): Promise<{ readonly labels: readonly SupportLabel[]; readonly degraded: readonly string[] }> {
  if (!gradeSupport || sources.length === 0) return { labels: [], degraded: [] }
  try {
    ledger.check()
    const { labels, usages } = await gradeSupport(question, sentences, sources, signal)
    for (const usage of usages) await ledger.take(usage)
    return { labels, degraded: [] }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof UselessReply) await ledger.take(error.usage)
    // The answer is there and paid for: without its grade it is worth more than an error.
    if (!(error instanceof AppError)) throw error
    return { labels: [], degraded: [`support: ${error.message}`] }
  }
}

/** Of the answer as a whole; null where nothing was graded. */
function overall(labels: readonly SupportLabel[]): SupportLabel | null {
  const [first] = labels
  if (first === undefined) return null
  return labels.every((label) => label === first) ? first : "partially_supported"
}
