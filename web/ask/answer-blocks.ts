import type { AnswerResponse, SupportLabel } from "../../lib/answers/response.ts"
import { parseCitation } from "../../lib/citation.ts"

/** A piece of an answer with the numbers of the sources that it cites, from 1. */
export interface Run {
  readonly text: string
  /** What stands before it and belongs to no sentence: a blank, a quote. */
  readonly lead: string
  readonly sources: readonly number[]
  /** Null: not checked; undefined: not yet. */
  readonly support: SupportLabel | null | undefined
}

/** A line of an answer, an item of a list, or rows of a table whose first is its head. */
export type Block =
  | { readonly kind: "line" | "item"; readonly runs: readonly Run[] }
  | { readonly kind: "table"; readonly runs: readonly Run[] }

const CITATION = /[ \t]?(\[\[[^[\]]+\]\])/g
/** One that is still being written. */
const UNFINISHED = /[ \t]?\[\[?[^[\]]*\]?$/
const BULLET = /^\s*[-*•]\s+/
const CELLS = " | "

/** A text that is still being written, line by line; sources are numbered as it cites them. */
export function draftBlocks(draft: string): readonly Block[] {
  const numbers = new Map<string, number>()
  const numberOf = (citation: string): number => {
    numbers.set(citation, numbers.get(citation) ?? numbers.size + 1)
    return numbers.get(citation) ?? 0
  }
  const lines = draft.replace(UNFINISHED, "").split("\n")
  return asTables(
    lines
      .filter((line) => line.trim() !== "")
      .map((line) => ({
        kind: BULLET.test(line) ? "item" : "line",
        runs: runsOf(line.replace(BULLET, ""), numberOf),
      })),
  )
}

function runsOf(line: string, numberOf: (citation: string) => number): Run[] {
  const runs: { text: string; lead: string; sources: number[]; support: undefined }[] = []
  let from = 0
  const take = (until: number): string => {
    let text = line.slice(from, until)
    const last = runs.at(-1)
    // A full stop behind a mark belongs before it, as it will stand in the finished answer.
    const stop = last ? (/^[.!?…,;:]+/.exec(text)?.[0] ?? "") : ""
    if (last) last.text += stop
    text = text.slice(stop.length)
    from = until
    return text
  }
  for (const { index, 0: mark, 1: citation = "" } of line.matchAll(CITATION)) {
    if (!parseCitation(citation)) continue
    const text = take(index)
    const last = runs.at(-1)
    if (text === "" && last) last.sources.push(numberOf(citation))
    else runs.push({ text, lead: "", sources: [numberOf(citation)], support: undefined })
    from = index + mark.length
  }
  const rest = take(line.length)
  return rest === "" ? runs : [...runs, { text: rest, lead: "", sources: [], support: undefined }]
}

/**
 * A finished answer, sentence by sentence, in the lines in which it was written. Where a sentence isn't found in the text
 * they all stand in one line.
 */
export function answerBlocks({ answer, sentences, citations }: AnswerResponse): readonly Block[] {
  const numbers = new Map(citations.map(({ citation }, index) => [citation, index + 1]))
  const text = plainText(answer)
  const blocks: { kind: "line" | "item"; runs: Run[] }[] = []
  let at = 0
  for (const sentence of sentences) {
    const found = text.indexOf(sentence.text, at)
    const start = found === -1 ? at : found
    const gap = found === -1 ? " " : text.slice(at, found)
    const sources = sentence.citations.flatMap((citation) => numbers.get(citation) ?? [])
    const line = gap.slice(gap.lastIndexOf("\n") + 1)
    const isNew = blocks.length === 0 || gap.includes("\n")
    const isItem = isNew && BULLET.test(line + sentence.text)
    if (isNew) blocks.push({ kind: isItem ? "item" : "line", runs: [] })
    const [lead, said] = isItem ? ["", (line + sentence.text).replace(BULLET, "")] : [line, sentence.text]
    blocks.at(-1)?.runs.push({ text: said, lead, sources, support: sentence.support })
    at = found === -1 ? at : start + sentence.text.length
  }
  return asTables(blocks)
}

/** Rows of a table that were quoted one below the other, as one. */
function asTables(blocks: readonly Block[]): Block[] {
  const shown: Block[] = []
  for (const block of blocks) {
    const last = shown.at(-1)
    const columns = columnsOf(block)
    if (last && columns > 1 && columnsOf(last) === columns) {
      shown[shown.length - 1] = { kind: "table", runs: [...last.runs, ...block.runs] }
    } else shown.push(block)
  }
  return shown
}

/** Of a row, and of a table as of each of its rows; 1 of anything else. */
function columnsOf({ kind, runs }: Block): number {
  return runs[0] && (runs.length === 1 || kind === "table") ? cellsOf(runs[0]).length : 1
}

/** A row's cells. */
export const cellsOf = ({ text }: Run): readonly string[] => text.split(CELLS)

/** An answer without its citations, to be read out, copied into a conversation, or compared. */
export function plainText(answer: string): string {
  return answer.replace(CITATION, (mark, citation: string) => (parseCitation(citation) ? "" : mark))
}
