import { childNamed, childrenNamed, type MarkupElement } from "./markup-tree.ts"

/** Styles are based on one another in chains; a circle of them is a broken file. */
const CHAIN_MAX = 20

/**
 * Heading level (1 to 6) of each paragraph style that has one: by its name, which is English in every language of Word, by
 * its outline level, or by those of the style that it is based on.
 */
export function headingStyles(styles: MarkupElement | null): ReadonlyMap<string, number> {
  const byId = new Map<string, MarkupElement>()
  for (const style of childrenNamed(styles ?? undefined, "style")) {
    const id = style.attributes["w:styleId"]
    if (id !== undefined && style.attributes["w:type"] === "paragraph") byId.set(id, style)
  }
  const levels = new Map<string, number>()
  for (const id of byId.keys()) {
    const level = levelOf(id, byId)
    if (level > 0) levels.set(id, Math.min(level, 6))
  }
  return levels
}

function levelOf(id: string, styles: ReadonlyMap<string, MarkupElement>): number {
  let style = styles.get(id)
  for (let chain = 0; style && chain < CHAIN_MAX; chain++) {
    const named = /^heading ([1-9])$/i.exec(valOf(style, "name") ?? "")
    const outline = valOf(childNamed(style, "pPr"), "outlineLvl")
    // 9 is body text: so the heading over the contents isn't among them.
    if (outline !== undefined) return Number(outline) < 9 ? Number(outline) + 1 : 0
    if (named) return Number(named[1])
    style = styles.get(valOf(style, "basedOn") ?? "")
  }
  return 0
}

function valOf(element: MarkupElement | undefined, name: string): string | undefined {
  return childNamed(element, name)?.attributes["w:val"]
}
