import { createReadStream } from "node:fs"
import { access, readFile } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import { createInterface } from "node:readline"
import * as z from "zod"
import { AppError } from "./errors.ts"
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
  const corpus = await readLines(join(folder, "corpus.jsonl"), Passage)
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
  return readLines(path, Question)
}

async function readLines<T>(path: string, Line: z.ZodType<T>): Promise<T[]> {
  await mustExist(path)
  const lines: T[] = []
  let number = 0
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1
    if (line.trim() === "") continue
    const parsed = Line.safeParse(parseJson(line))
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      throw new AppError(
        "invalid_request",
        `${path}, line ${number}: ${issue?.path.join(".") || "line"}: ${issue?.message}`,
      )
    }
    lines.push(parsed.data)
  }
  return lines
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function readJudgements(path: string): Promise<Map<string, Map<string, number>>> {
  await mustExist(path)
  const judgements = new Map<string, Map<string, number>>()
  for (const [index, line] of (await readFile(path, "utf8")).split(/\r?\n/).entries()) {
    if (index === 0 || line.trim() === "") continue
    const [question, document, grade, more] = line.split("\t")
    if (!question || !document || !grade || more !== undefined || !Number.isFinite(Number(grade))) {
      throw new AppError(
        "invalid_request",
        `${path}, line ${index + 1}: expected query-id, corpus-id and score, split by tabs`,
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
