import { inTurn } from "../../documents/enrichment/in-turn.ts"
import type { SearchHit } from "../../search/response.ts"
import type { AnswerSentence, SupportLabel } from "../response.ts"
import { contextXml } from "./context-xml.ts"
import { GRADE_TOKENS, SupportGrade } from "./grades.ts"
import type { GraphNode, GraphRun } from "./graph-run.ts"
import { messagesFor } from "./prompts.ts"

/** Most sentences that are judged one by one; those beyond share calls, by the label of the worst among them. */
const SINGLE_MAX = 12
/** Calls for all that are beyond. */
const SHARED_CALLS_MAX = 4

type Sentence = Omit<AnswerSentence, "support">

/** Judges each sentence by the passages that it cites. One that cites none has nothing to support it, and is not asked about. */
export const supportGrader: GraphNode = async ({ question, draft, draftSources: sources }, run) => {
  const sentences = draft?.sentences ?? []
  const labels: (SupportLabel | null)[] = sentences.map(({ citations }) =>
    citations.length === 0 ? "not_supported" : null,
  )
  const cited = sentences.flatMap(({ citations }, index) => (citations.length > 0 ? [index] : []))
  const problems = await grade(groupsOf(cited), labels, { question, sentences, sources }, run)
  const missing = labels.filter((label) => label === null).length
  if (missing > 0) {
    run.degraded.add(`support_grader: ${missing} of ${sentences.length} sentences were not judged: ${problems.at(-1)}`)
  }
  const wholeSupport = supportOfWhole(labels)
  return {
    changes: { sentenceSupport: labels, wholeSupport },
    label: draft === null ? "nothing to judge" : (wholeSupport ?? "not judged"),
    inputs: { sentences: sentences.length, documents: sources.length },
  }
}

/**
 * All fully: fully. None fully or partially: not. Anything between: partially. With sentences that nobody judged it can
 * only be said that there is some support, if there is.
 */
export function supportOfWhole(labels: readonly (SupportLabel | null)[]): SupportLabel | null {
  if (labels.length === 0) return null
  if (labels.every((label) => label === "fully_supported")) return "fully_supported"
  if (labels.some((label) => label === "fully_supported" || label === "partially_supported"))
    return "partially_supported"
  return labels.includes(null) ? null : "not_supported"
}

/** Indexes of sentences that are judged by one call each. */
export function groupsOf(indexes: readonly number[]): readonly (readonly number[])[] {
  const single = indexes.slice(0, SINGLE_MAX).map((index) => [index])
  const beyond = indexes.slice(SINGLE_MAX)
  const size = Math.max(1, Math.ceil(beyond.length / SHARED_CALLS_MAX))
  const shared = Array.from({ length: Math.ceil(beyond.length / size) }, (_, group) =>
    beyond.slice(group * size, (group + 1) * size),
  )
  return [...single, ...shared]
}

interface Judged {
  readonly question: string
  readonly sentences: readonly Sentence[]
  readonly sources: readonly SearchHit[]
}

/** Writes into `labels`, and gives back what went wrong. */
async function grade(
  groups: readonly (readonly number[])[],
  labels: (SupportLabel | null)[],
  { question, sentences, sources }: Judged,
  { calls, settings }: GraphRun,
): Promise<string[]> {
  const problems: string[] = []
  const judge = async (group: readonly number[]): Promise<boolean> => {
    const members = group.flatMap((index) => sentences[index] ?? [])
    const cited = new Set(members.flatMap(({ citations }) => citations))
    const asked = await calls.ask({
      name: "SupportGrade",
      schema: SupportGrade,
      messages: messagesFor({
        task: "support",
        question,
        context: contextXml(sources.filter(({ citation }) => cited.has(citation))),
        material: { statements: members.map(({ text }) => text) },
      }),
      maxTokens: GRADE_TOKENS,
    })
    if (asked.ok) for (const index of group) labels[index] = asked.value.label
    else problems.push(asked.problem)
    return asked.ok || asked.kind === "useless"
  }
  const [first, ...others] = groups
  // As in the relevance grader: the first warms the server's cache, and finds out whether it is there at all.
  if (first && (await judge(first))) {
    await inTurn(others, settings.answerConcurrency, async (group) => {
      await judge(group)
      return []
    })
  }
  return problems
}
