import { gradeSentences } from "../grade-sentences.ts"
import type { GraphNode } from "./graph-run.ts"

/** Judges each sentence of the draft by the passages that it cites. */
export const supportGrader: GraphNode = async ({ question, draft, draftSources: sources }, run) => {
  const sentences = draft?.sentences ?? []
  const { labels, whole, problem } = await gradeSentences({ question, sentences, sources }, run.calls, run.settings)
  if (problem !== null) run.degraded.add(`support_grader: ${problem}`)
  return {
    changes: { sentenceSupport: labels, wholeSupport: whole },
    label: draft === null ? "nothing to judge" : (whole ?? "not judged"),
    inputs: { sentences: sentences.length, documents: sources.length },
  }
}
