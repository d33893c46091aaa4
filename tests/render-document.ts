import type { ReadDocument } from "../lib/documents/block.ts"

/** Blocks as one text a block, their kind in front: `# heading`, `[table 1] a | b`, `[figure] caption`. */
export function renderBlocks(document: ReadDocument): string[] {
  return document.blocks.map(({ kind, level, text, table }) => {
    if (kind === "heading") return `${"#".repeat(level)} ${text}`
    if (kind === "table") return `[table ${table?.headerRows}] ${text}`
    return kind === "figure" ? `[figure] ${text}` : text
  })
}
