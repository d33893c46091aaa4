import type { Box, PageText } from "../page.ts"
import { boxAround, heightOf, middleOf, overlapAcross, overlapDown, widthOf } from "./boxes.ts"
import { type Draft, type FigureDraft, linesOf, type TextDraft } from "./draft.ts"

/** Smaller pictures are icons and bullets, points. */
const SIDE_MIN = 24
/** Pictures that are looked at; strips and tiles of one picture count as one afterwards. */
const TILES_MAX = 300
const FIGURES_MAX = 30
/** Tiles of one picture are this near to each other, points. */
const TILE_GAP = 2
/** A caption stands within so many of its font sizes from its picture. */
const CAPTION_WITHIN = 4
const CAPTION =
  /^(?:fig(?:\.|ure|ura)?s?|plate|photo(?:graph)?|image|chart|map|illustration|foto(?:grafia)?|imagem|gráfico|mapa|ilustração|quadro|abb(?:\.|ildung))(?![\p{L}])/iu

/** Pictures of a page, joined from their tiles, the larger ones where there are too many. */
export function findFigures(page: PageText): Box[] {
  const boxes = page.figures
    .slice(0, TILES_MAX)
    .map((box) => ({
      x0: Math.max(0, box.x0),
      y0: Math.max(0, box.y0),
      x1: Math.min(page.width, box.x1),
      y1: Math.min(page.height, box.y1),
    }))
    .filter((box) => widthOf(box) > 0 && heightOf(box) > 0)
  const joined: Box[] = []
  for (const box of boxes.sort((a, b) => a.y0 - b.y0)) {
    let whole: Box = box
    for (let i = 0; i < joined.length; ) {
      const other = joined[i]
      if (other && overlapAcross(whole, other) > -TILE_GAP && overlapDown(whole, other) > -TILE_GAP) {
        whole = boxAround([whole, other])
        joined.splice(i, 1)
        i = 0
      } else i++
    }
    joined.push(whole)
  }
  return joined
    .filter((box) => widthOf(box) >= SIDE_MIN && heightOf(box) >= SIDE_MIN)
    .sort((a, b) => widthOf(b) * heightOf(b) - widthOf(a) * heightOf(a))
    .slice(0, FIGURES_MAX)
    .sort((a, b) => a.y0 - b.y0)
}

/**
 * A page's drafts with its figures: each takes the caption next to it; one without stands after the last text above it,
 * in a column of its own, from `column` on.
 */
export function placeFigures(drafts: readonly Draft[], figures: readonly Box[], page: number, column: number): Draft[] {
  const placed = [...drafts]
  for (const [i, box] of figures.entries()) {
    const at = findCaption(placed, box)
    const caption = placed[at]
    if (caption?.kind === "text") {
      const lines = linesOf(caption)
      placed[at] = { kind: "figure", page, column: lines[0]?.column ?? column + i, box, caption: lines }
    } else {
      const figure: FigureDraft = { kind: "figure", page, column: column + i, box, caption: [] }
      placed.splice(placed.findLastIndex((draft) => isAbove(draft, box)) + 1, 0, figure)
    }
  }
  return placed
}

function boxOf(draft: Draft): Box {
  if (draft.kind === "text") return boxAround(linesOf(draft))
  return draft.kind === "table" ? draft.first : draft.box
}

function findCaption(drafts: readonly Draft[], box: Box): number {
  let nearest = { at: -1, gap: Infinity }
  for (const [at, draft] of drafts.entries()) {
    if (draft.kind !== "text" || !isCaption(draft)) continue
    const text = boxOf(draft)
    const gap = -overlapDown(text, box)
    const limit = CAPTION_WITHIN * (linesOf(draft)[0]?.fontSize ?? 0)
    if (gap <= limit && gap < nearest.gap && overlapAcross(text, box) > 0) nearest = { at, gap }
  }
  return nearest.at
}

function isCaption(draft: TextDraft): boolean {
  return draft.form === "paragraph" && CAPTION.test(linesOf(draft)[0]?.words[0]?.text ?? "")
}

function isAbove(draft: Draft, box: Box): boolean {
  const text = boxOf(draft)
  return overlapAcross(text, box) > 0 && text.y1 <= middleOf(box)
}
