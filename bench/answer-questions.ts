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
  /** Only to choose by: limits that 26 unanswerable questions chose carried over badly. */
  choosing: z.boolean().default(false),
})
export type AnswerQuestion = z.output<typeof AnswerQuestion>

const FILE = new URL("answer-questions.jsonl", import.meta.url)

/** Limits are chosen on the one and judged on the other. */
export interface QuestionHalves {
  readonly choosing: readonly AnswerQuestion[]
  readonly reporting: readonly AnswerQuestion[]
}

/** All questions: the odd ones are reported, and by the even ones and those that are there for it limits are chosen. */
export async function readAnswerQuestions(): Promise<QuestionHalves> {
  const lines = (await readFile(FILE, "utf8")).trim().split("\n")
  const questions = lines.map((line) => AnswerQuestion.parse(JSON.parse(line)))
  return {
    choosing: questions.filter(({ choosing }, index) => choosing || index % 2 === 0),
    reporting: questions.filter(({ choosing }, index) => !choosing && index % 2 === 1),
  }
}
