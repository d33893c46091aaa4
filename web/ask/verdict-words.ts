import type { AnswerResponse } from "../../lib/answers/response.ts"
import { countOf } from "../parts/format.ts"

/** How far the passages bear an answer out, in words, and how good that is. */
interface SupportWords {
  readonly tone: "good" | "warn" | "bad" | "plain"
  readonly words: string
}

/** Says no more than was checked: what was quoted, proven, proven in part, not proven, or never checked. */
export function supportWords(answer: AnswerResponse): SupportWords {
  const { support, sentences, generator, retrieved } = answer
  if (!retrieved) return { tone: "warn", words: "Not from the documents: nothing here is proven" }
  if (support === null) return { tone: "warn", words: "Not checked against its passages" }
  if (generator === "extractive") return { tone: "good", words: "Quoted word for word" }
  const proven = sentences.filter((sentence) => sentence.support === "fully_supported").length
  if (support === "not_supported") return { tone: "bad", words: "The passages don't bear this out" }
  if (support === "fully_supported" && proven === sentences.length) {
    return { tone: "good", words: sentences.length === 1 ? "Borne out by its passages" : "Each sentence is borne out" }
  }
  return { tone: "warn", words: `${proven} of ${countOf(sentences.length, "sentence")} wholly borne out` }
}

/** What else is to be known of an answer: what was taken out of it, what it did without, what had no effect. */
export function verdictNotes({ removed_citations, degraded = [], warnings = [] }: AnswerResponse): readonly string[] {
  return [
    ...(removed_citations > 0
      ? [
          `${countOf(removed_citations, "citation")} of what was never found ${removed_citations === 1 ? "was" : "were"} taken out.`,
        ]
      : []),
    ...[...degraded, ...warnings].map(plainly),
  ]
}

/** A note as the API gives it, without the name of the step that it begins with and the machinery's words. */
function plainly(note: string): string {
  const said = note
    .replace(/^[a-z_]+: /, "")
    .replaceAll("the embedding model", "the model that compares meanings")
    .replaceAll("the reranking model", "the model that compares passages with the question")
    .replaceAll("the order is that of the fusion", "the passages stand as the search found them")
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}${/[.!?]$/.test(said) ? "" : "."}`
}
