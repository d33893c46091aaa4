import type { AnswerResponse, AnswerStep } from "../../lib/answers/response.ts"
import { countOf } from "../parts/format.ts"
import type { ShownStep } from "./answer-view.ts"

interface Words {
  /** While it goes on. */
  readonly doing: string
  /** What came of it. */
  readonly done: (step: AnswerStep) => string
}

const SUPPORT: Readonly<Record<string, string>> = {
  fully_supported: "Each sentence is borne out by its passages",
  partially_supported: "The passages bear out a part of it",
  not_supported: "The passages don't bear it out",
}

const ANSWERABLE: Readonly<Record<string, string>> = {
  answered: "They answer the question",
  nothing_found: "There is nothing to quote",
  too_far: "None comes near the question",
  unlikely: "None is likely to answer the question",
  type_missing: "None holds the kind of thing that was asked for",
}

/** Nodes of the graph, and steps of the answer without a language model. What isn't here isn't worth a line. */
const WORDS: Readonly<Record<string, Words>> = {
  rewrite_question: {
    doing: "Reading the question with what was said before",
    done: () => "Read with what was said before",
  },
  retrieval_decision: {
    doing: "Deciding whether to look in the documents",
    done: ({ label }) =>
      label === "NO" || label === "never" ? "No need to look in the documents" : "Looks in the documents",
  },
  retrieve: { doing: "Looking for passages", done: (step) => `${countOf(foundBy(step), "passage")} found` },
  relevance_grader: { doing: "Checking each passage", done: (step) => keptWords(step) },
  sentence_selector: {
    doing: "Weighing their sentences",
    done: ({ inputs }) => `${countOf(inputs?.["sentences"] ?? 0, "sentence")} weighed`,
  },
  answerability_grader: {
    doing: "Checking whether they answer the question",
    done: ({ label = "" }) => ANSWERABLE[label] ?? "Checked whether they answer the question",
  },
  generator: { doing: "Writing", done: ({ label }) => writtenWords(label) },
  support_grader: {
    doing: "Proving each sentence",
    done: ({ label = "" }) => SUPPORT[label] ?? "Its sentences could not be checked",
  },
  usefulness_grader: {
    doing: "Asking whether that answers the question",
    done: ({ label }) =>
      label === "useful"
        ? "It answers the question"
        : label === "not_useful"
          ? "It doesn't answer the question"
          : "Whether it answers was not judged",
  },
  increment_retry: { doing: "Beginning again", done: () => "Not borne out: written again" },
  increment_retry_for_retrieval: { doing: "Finding other words", done: () => "Looked for again, in other words" },
}

/** A step in plain words; null of one that says nothing to a reader. */
export function stepWords({ node, ended }: ShownStep): string | null {
  const words = WORDS[node]
  if (!words) return null
  return ended ? words.done(ended) : `${words.doing}…`
}

/** How an answer came about, in one line. */
export function summaryOf(steps: readonly ShownStep[], answer: AnswerResponse): string {
  const ended = steps.flatMap(({ ended }) => ended ?? [])
  const of = (node: string) => ended.filter((step) => step.node === node)
  const found = of("retrieve").reduce((sum, step) => sum + foundBy(step), 0)
  const kept = of("relevance_grader").reduce((sum, step) => sum + (keptOf(step)?.kept ?? 0), 0)
  const weighed = of("sentence_selector")[0]?.inputs?.["sentences"]
  const parts = [
    answer.retrieved ? `${countOf(found, "passage")} found` : "Answered without the documents",
    ...(kept > 0 ? [`${kept} kept`] : []),
    ...(weighed !== undefined ? [`${countOf(weighed, "sentence")} weighed`] : []),
    answer.refused ? "none answers" : outcome(answer),
    ...(answer.retries > 0 ? [`tried again ${answer.retries === 1 ? "once" : `${answer.retries} times`}`] : []),
  ]
  return parts.join(", ")
}

function outcome({ sentences, generator }: AnswerResponse): string {
  return generator === "extractive" ? `${sentences.length} quoted` : `${countOf(sentences.length, "sentence")} written`
}

/** Time of all steps together, ms. */
export function stepsMs(steps: readonly ShownStep[]): number {
  return steps.reduce((sum, { ended }) => sum + (ended?.ms ?? 0), 0)
}

/** A time as people say it: `40 ms`, `2.1 s`. */
export function timeWords(ms: number): string {
  return ms < 1_000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function foundBy({ label = "", inputs }: AnswerStep): number {
  return inputs?.["documents"] ?? Number(/^\d+/.exec(label)?.[0] ?? 0)
}

function keptOf({ label = "" }: AnswerStep): { readonly kept: number; readonly of: number } | null {
  const [, kept, of] = /^(\d+) of (\d+)/.exec(label) ?? []
  return kept === undefined || of === undefined ? null : { kept: Number(kept), of: Number(of) }
}

function keptWords(step: AnswerStep): string {
  const found = keptOf(step)
  if (!found) return "Passages checked"
  if (found.kept === 0) return "None of them bears on the question"
  return `${found.kept} of ${found.of} ${found.kept === 1 ? "bears" : "bear"} on the question`
}

function writtenWords(label = ""): string {
  const sentences = /^(\d+) sentences$/.exec(label)?.[1]
  return sentences === undefined ? "No answer in the passages" : `${countOf(Number(sentences), "sentence")} written`
}
