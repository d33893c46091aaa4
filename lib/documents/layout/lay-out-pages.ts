import type { Block, ReadDocument } from "../block.ts"
import type { PageText } from "../page.ts"
import { findAlignedTables } from "./aligned-tables.ts"
import { heightOf, median } from "./boxes.ts"
import { collectVocabulary, composeDraft, composeTable, type Vocabulary } from "./compose-text.ts"
import { continueParagraphs } from "./continue-paragraphs.ts"
import { type Draft, linesOf, type TableDraft } from "./draft.ts"
import { bodyStyle, findHeadings } from "./find-headings.ts"
import { formParagraphs } from "./form-paragraphs.ts"
import { type Fragment, joinFragments } from "./join-fragments.ts"
import { type ColumnPart, cellLines, formLines, type Line } from "./lines.ts"
import { findFigures, placeFigures } from "./place-figures.ts"
import { type PlacedWord, placeWords } from "./place-words.ts"
import { findRuledTables, type RuledTable } from "./ruled-tables.ts"
import { dropRunningHeads } from "./running-heads.ts"
import { splitCode } from "./split-code.ts"
import { stitchTables } from "./stitch-tables.ts"
import { headerRowsOf } from "./table-header.ts"
import { unstackRow } from "./unstack-row.ts"
import { cutColumns } from "./xy-cut.ts"

/**
 * Words on pages as blocks in reading order: columns by XY-cut, running heads and feet dropped, paragraphs, headings
 * with levels, lists, code line by line, tables stitched over pages, figures with their captions. Never throws: a word
 * that stands nowhere is left out. A page takes time in proportion to n log n of its words.
 */
export function layOutPages(pages: readonly PageText[]): ReadDocument {
  const warnings: string[] = []
  const prepared = pages.map((page) => preparePage(page, warnings))
  const upright = dropRunningHeads(prepared.map(({ page, upright }) => ({ height: page.height, fragments: upright })))
  const columns = { count: 0 }
  const drafts = prepared.map(({ page, turned, lineHeight }, i) => {
    const own = draftsOf(upright[i] ?? [], { page: page.number, width: page.width, lineHeight }, columns)
    const figures = findFigures(page)
    const placed = placeFigures(own, figures, page.number, columns.count)
    columns.count += figures.length
    return [...placed, ...draftsOf(turned, { page: page.number, width: page.height, lineHeight }, columns)]
  })
  const stitched = stitchTables(drafts)
  const body = bodyStyle(stitched)
  const doubtful = new Set(pages.filter(isDoubtful).map(({ number }) => number))
  const levels = findHeadings(
    stitched.filter((draft) => !stands(draft, doubtful)),
    body,
  )
  const vocabulary = collectVocabulary(wordsOf(prepared))
  const blocks = continueParagraphs(stitched, levels, body.size).map((draft) =>
    blockOf(draft, levels.get(draft) ?? 0, vocabulary),
  )
  return {
    title: null,
    language: null,
    blocks: blocks.filter((block) => block.text !== "" || block.kind === "figure"),
    pages: pages.map(({ number, width, height }) => ({ number, width, height })),
    warnings,
  }
}

/** What recognition is less sure of than this is often no text: a logo that it reads as a word on its head. */
const HEADING_CONFIDENCE_MIN = 60

function isDoubtful({ source, confidence }: PageText): boolean {
  return source === "ocr" && (confidence ?? 0) < HEADING_CONFIDENCE_MIN
}

/** Whether a draft begins on one of these pages. */
function stands(draft: Draft, pages: ReadonlySet<number>): boolean {
  return draft.kind === "text" && pages.has(linesOf(draft)[0]?.page ?? 0)
}

interface PreparedPage {
  readonly page: PageText
  readonly upright: readonly Fragment[]
  readonly turned: readonly Fragment[]
  readonly lineHeight: number
}

function preparePage(page: PageText, warnings: string[]): PreparedPage {
  const { upright, turned, skipped } = placeWords(page)
  if (skipped > 0) warnings.push(`page ${page.number}: ${skipped} words over the limit of a page were left out`)
  const lineHeight = median(upright.map(heightOf)) || median(turned.map(heightOf))
  const { tables, rest } = findRuledTables(page.rules, upright)
  return {
    page,
    upright: [...joinFragments(rest, lineHeight), ...tables.map(tableFragment)],
    turned: joinFragments(turned, lineHeight),
    lineHeight,
  }
}

function tableFragment(table: RuledTable): Fragment {
  return { ...table.box, words: table.rows.flat(2), table }
}

function* wordsOf(prepared: readonly PreparedPage[]) {
  for (const { upright, turned } of prepared) {
    for (const fragments of [upright, turned]) {
      for (const { words } of fragments) for (const word of words) yield word
    }
  }
}

interface Frame {
  readonly page: number
  readonly width: number
  readonly lineHeight: number
}

function draftsOf(fragments: readonly Fragment[], frame: Frame, columns: { count: number }): Draft[] {
  return cutColumns(fragments, frame.lineHeight, frame.width).flatMap((column) => {
    const number = columns.count++
    return formLines(column, frame.page, number).flatMap((part) => partDrafts(part, frame.page, number))
  })
}

function partDrafts(part: ColumnPart, page: number, column: number): Draft[] {
  if ("table" in part) return [ruledDraft(part.table, page, column)]
  return splitCode(part.lines).flatMap((run): Draft[] => {
    if ("kind" in run) return [run]
    return findAlignedTables(run).flatMap((lines): Draft[] => ("kind" in lines ? [lines] : formParagraphs(lines)))
  })
}

function ruledDraft(table: RuledTable, page: number, column: number): TableDraft {
  const lines = (words: readonly PlacedWord[]): Line[] => cellLines(words, page, column)
  const rows = table.rows.flatMap((row) => unstackRow(row.map(lines)))
  return { kind: "table", rows, headerRows: headerRowsOf(rows), first: table.box, last: table.box }
}

function blockOf(draft: Draft, level: number, vocabulary: Vocabulary): Block {
  if (draft.kind === "table") {
    const { text, spans, rows } = composeTable(draft, vocabulary)
    return { kind: "table", level: 0, text, spans, table: { rows, headerRows: draft.headerRows } }
  }
  const { text, spans } = composeDraft(draft, vocabulary)
  if (draft.kind === "figure") return { kind: "figure", level: 0, text, spans, table: null }
  return { kind: level > 0 ? "heading" : "text", level, text, spans, table: null }
}
