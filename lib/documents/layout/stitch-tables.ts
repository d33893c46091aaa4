import type { Box } from "../page.ts"
import { overlapAcross, widthOf } from "./boxes.ts"
import type { Draft, TableDraft, TableRow } from "./draft.ts"

/** Parts of one table begin and end within this share of its width. */
const WIDTH_WITHIN = 0.05

/** Joins the last table of a page with the first of the next where both have the same columns; a head that is repeated goes. */
export function stitchTables(pages: readonly (readonly Draft[])[]): Draft[] {
  const result: Draft[] = []
  let open: { draft: TableDraft; rows: TableRow[] } | null = null
  const close = (): void => {
    if (open) result.push({ ...open.draft, rows: open.rows })
    open = null
  }
  for (const page of pages) {
    for (const [i, draft] of page.entries()) {
      if (open && i === 0 && draft.kind === "table" && goesOn(open, draft)) {
        for (const row of withoutHead(open.draft, draft)) open.rows.push(row)
        open.draft = { ...open.draft, last: draft.last }
      } else {
        close()
        result.push(draft)
      }
      if (i < page.length - 1) close()
      else if (!open && draft.kind === "table") {
        result.pop()
        open = { draft, rows: [...draft.rows] }
      }
    }
    if (page.length === 0) close()
  }
  close()
  return result
}

function goesOn({ draft }: { readonly draft: TableDraft }, next: TableDraft): boolean {
  return draft.rows[0]?.length === next.rows[0]?.length && sameExtent(draft.last, next.first)
}

function sameExtent(a: Box, b: Box): boolean {
  const width = Math.max(widthOf(a), widthOf(b))
  return overlapAcross(a, b) >= (1 - 2 * WIDTH_WITHIN) * width
}

function withoutHead(draft: TableDraft, next: TableDraft): readonly TableRow[] {
  const head = draft.rows.slice(0, Math.max(1, draft.headerRows)).map(textOf)
  const repeated = head.every((text, i) => text === textOf(next.rows[i] ?? []))
  return repeated ? next.rows.slice(head.length) : next.rows
}

function textOf(row: TableRow): string {
  return row.map((cell) => cell.flatMap((line) => line.words.map((word) => word.text)).join(" ")).join("\n")
}
