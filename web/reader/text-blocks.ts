/** A paragraph of a passage, or a heading that stands in it. */
export interface TextBlock {
  readonly kind: "paragraph" | "heading"
  readonly text: string
}

/** A passage's paragraphs. `headings` are those over it, as its metadata has them: a paragraph that is one of them is a heading. */
export function textBlocks(content: string, headings: readonly string[]): readonly TextBlock[] {
  const known = new Set(headings.map(calm))
  return content
    .split(/\n[^\S\n]*\n\s*/)
    .filter((text) => text.trim() !== "")
    .map((text) => ({ kind: known.has(calm(text)) ? "heading" : "paragraph", text: text.replace(/\s+$/, "") }))
}

/** The headings that a chunk's metadata names; none where it is anything else. */
export function headingsOf(metadata: Readonly<Record<string, unknown>>): readonly string[] {
  const headings = metadata["headings"]
  return Array.isArray(headings) ? headings.filter((heading) => typeof heading === "string") : []
}

const calm = (text: string): string => text.replace(/\s+/g, " ").trim()
