import { stat } from "node:fs/promises"
import * as z from "zod"
import { type Question, readJudged } from "./beir-collection.ts"
import { AppError } from "./errors.ts"
import { readJsonLines, wrongLine } from "./json-lines.ts"
import type { Judgements } from "./relevance-metrics.ts"
import { DocumentId, QUERY_CHARS_MAX, StorableText } from "./shapes.ts"

/** One line of a file of judgments: how well a document answers a query, 0 for not at all. */
export const Judgment = z.object({
  query: StorableText.max(QUERY_CHARS_MAX).refine((query) => query.trim() !== "", "must not be blank"),
  document: DocumentId,
  grade: z.number().min(0).max(100),
})
export type Judgment = z.infer<typeof Judgment>

/** Judged questions: those with at least one relevant document, and by their ids what is judged of each. */
export interface JudgedQuestions {
  readonly questions: readonly Question[]
  readonly judgements: ReadonlyMap<string, Judgements>
}

/**
 * Reads a folder in BEIR's form (`queries.jsonl`, `qrels/test.tsv`), or a file of JSON lines as `Judgment` has them, where questions of
 * the same words are one. Throws `not_found`, and `invalid_request` with file, line and field of what is wrong, also where a document
 * is judged twice, and differently.
 */
export async function readJudgments(path: string): Promise<JudgedQuestions> {
  const found = await stat(path).catch(() => null)
  if (!found)
    throw new AppError("not_found", `There is no ${path}: name a folder in BEIR form or a file of JSON lines.`)
  if (found.isDirectory()) return readJudged(path)
  const judgements = new Map<string, Map<string, number>>()
  for await (const { number, value } of readJsonLines(path, Judgment)) {
    const query = value.query.trim()
    const grades = judgements.get(query) ?? new Map<string, number>()
    const before = grades.get(value.document)
    if (before !== undefined && before !== value.grade)
      throw wrongLine(path, number, "grade", `is ${value.grade}, and an earlier line says ${before} of the same two`)
    judgements.set(query, grades.set(value.document, value.grade))
  }
  const questions = [...judgements].flatMap(([text, grades]) =>
    [...grades.values()].some((grade) => grade > 0) ? [{ _id: text, text }] : [],
  )
  if (questions.length === 0)
    throw new AppError("invalid_request", `${path} judges no document above 0, so no order is better than another.`)
  return { questions, judgements }
}
