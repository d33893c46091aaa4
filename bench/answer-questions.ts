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
   * `reporting`: written blind, and asked once the configuration was fixed. `reported`: such questions of an earlier
   * configuration, looked at since, so that what came after was chosen by them as by `choosing`.
   */
  part: z.enum(["choosing", "reported", "reporting"]),
})
export type AnswerQuestion = z.output<typeof AnswerQuestion>

const FILE = new URL("answer-questions.jsonl", import.meta.url)

/** The questions by their part. */
export type QuestionParts = Readonly<Record<AnswerQuestion["part"], readonly AnswerQuestion[]>>

/** All questions, in the order of the file. */
export async function readAnswerQuestions(): Promise<QuestionParts> {
  const lines = (await readFile(FILE, "utf8")).trim().split("\n")
  const questions = lines.map((line) => AnswerQuestion.parse(JSON.parse(line)))
  const of = (wanted: AnswerQuestion["part"]) => questions.filter(({ part }) => part === wanted)
  return { choosing: of("choosing"), reported: of("reported"), reporting: of("reporting") }
}
