import { access, readFile } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import * as z from "zod"
import { AppError } from "./errors.ts"
import { readJsonLines } from "./json-lines.ts"
import type { Judgements } from "./relevance-metrics.ts"

const Passage = z.object({ _id: z.string().min(1), title: z.string().default(""), text: z.string() })
export type Passage = z.infer<typeof Passage>

const Question = z.object({ _id: z.string().min(1), text: z.string().min(1) })
export type Question = z.infer<typeof Question>

/** A test collection in the form that BEIR publishes. */
export interface Collection {
  readonly name: string
  readonly corpus: readonly Passage[]
  /** Those with at least one relevant document, in the order of the file. */
  readonly questions: readonly Question[]
  readonly judgements: ReadonlyMap<string, Judgements>
}

/**
 * Reads `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv` of a folder. Throws `not_found` for a missing file and
 * `invalid_request` with file and line for one that isn't what it should be.
 */
export async function readCollection(folder: string): Promise<Collection> {
  const judged = await readJudged(folder)
  const corpus = await readObjects(join(folder, "corpus.jsonl"), Passage)
  if (corpus.length === 0) throw new AppError("invalid_request", `${join(folder, "corpus.jsonl")} holds no document`)
  return { name: basename(resolve(folder)), corpus, ...judged }
}

/** Its questions and judgements without the documents. Throws as `readCollection` does. */
export async function readJudged(folder: string): Promise<Pick<Collection, "questions" | "judgements">> {
  const judgements = await readJudgements(join(folder, "qrels", "test.tsv"))
  const questions = await readQuestions(join(folder, "queries.jsonl"))
  const judged = questions.filter(({ _id }) => [...(judgements.get(_id)?.values() ?? [])].some((grade) => grade > 0))
  if (judged.length === 0) {
    throw new AppError(
      "invalid_request",
      `No question of ${folder} is judged: do queries.jsonl and qrels belong together?`,
    )
  }
  return { questions: judged, judgements }
}

/** Questions in the form of BEIR's `queries.jsonl`. Throws as `readCollection` does. */
export function readQuestions(path: string): Promise<Question[]> {
  return readObjects(path, Question)
}

async function readObjects<T>(path: string, Line: z.ZodType<T>): Promise<T[]> {
  await mustExist(path)
  const lines: T[] = []
  for await (const { value } of readJsonLines(path, Line)) lines.push(value)
  return lines
}

async function readJudgements(path: string): Promise<Map<string, Map<string, number>>> {
  await mustExist(path)
  const judgements = new Map<string, Map<string, number>>()
  for (const [index, line] of (await readFile(path, "utf8")).split(/\r?\n/).entries()) {
    if (index === 0 || line.trim() === "") continue
    const [question, document, grade, more] = line.split("\t")
    const isGrade = grade !== undefined && grade.trim() !== "" && Number.isFinite(Number(grade))
    if (!question || !document || !isGrade || more !== undefined) {
      const field = !question ? "query-id" : !document ? "corpus-id" : "score"
      throw new AppError(
        "invalid_request",
        `${path}, line ${index + 1}: ${field}: expected query-id, corpus-id and score (a number), split by tabs`,
      )
    }
    const of = judgements.get(question) ?? new Map<string, number>()
    judgements.set(question, of.set(document, Number(grade)))
  }
  return judgements
}

async function mustExist(path: string): Promise<void> {
  await access(path).catch((cause: unknown) => {
    const form = "A folder in BEIR form holds corpus.jsonl, queries.jsonl and qrels/test.tsv."
    throw new AppError("not_found", `There is no ${path}. ${form}`, { cause })
  })
}
