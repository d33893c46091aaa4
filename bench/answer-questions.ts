import { readFile } from "node:fs/promises"
import * as z from "zod"

/**
 * A question about `samples/`. `no_shared_word`: none of its words stands in the passages that answer it. `near_miss`: on a
 * subject of the samples, which don't say what is asked. `off_topic`: on none.
 */
export const AnswerQuestion = z.object({
  language: z.enum(["en", "pt"]),
  kind: z.enum(["answerable", "no_shared_word", "off_topic", "near_miss"]),
  question: z.string(),
  /** Ids of the documents that answer it, each by itself; none where nothing does. */
  sources: z.array(z.string()),
  /** One of these stands in the sentence that answers it, in any case of letters. */
  facts: z.array(z.string()),
  /**
   * What is tuned and chosen is by the one part, and its figures are reported of the other, which was written before, without
   * a look at any result, and asked once the configuration was fixed.
   */
  part: z.enum(["choosing", "reporting"]),
})
export type AnswerQuestion = z.output<typeof AnswerQuestion>

const FILE = new URL("answer-questions.jsonl", import.meta.url)

/** The questions by their part. */
export interface QuestionParts {
  readonly choosing: readonly AnswerQuestion[]
  readonly reporting: readonly AnswerQuestion[]
}

/** All questions, in the order of the file. */
export async function readAnswerQuestions(): Promise<QuestionParts> {
  const lines = (await readFile(FILE, "utf8")).trim().split("\n")
  const questions = lines.map((line) => AnswerQuestion.parse(JSON.parse(line)))
  return {
    choosing: questions.filter(({ part }) => part === "choosing"),
    reporting: questions.filter(({ part }) => part === "reporting"),
  }
}
