/** A part of a table passage: rows of cells, or the words above them. */
export type TableBlock = { readonly rows: readonly (readonly string[])[] } | { readonly text: string }

const MARKDOWN_RULE = /^(?:\|(?:\s*:?-+:?\s*\|)+|:?-{3,}:?(?:\s*\|\s*:?-{3,}:?)+)$/

/**
 * A table's text as it is indexed: rows of cells with ` | ` between them, under headings that ride along. Markdown's tables
 * (`| a | b |`, a rule below the head) read too. Every row is as long as the longest of its block.
 */
export function tableBlocks(content: string): readonly TableBlock[] {
  return content
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== "")
    .map(toBlock)
}

function toBlock(text: string): TableBlock {
  const lines = text.split("\n").filter((line) => line !== "" && !MARKDOWN_RULE.test(line.trim()))
  if (!lines.some((line) => line.includes("|"))) return { text: text.trim() }
  const rows = lines.map(cellsOf)
  const columns = Math.max(...rows.map((row) => row.length))
  return { rows: rows.map((row) => [...row, ...new Array<string>(columns - row.length).fill("")]) }
}

function cellsOf(line: string): string[] {
  const trimmed = line.trim()
  const isMarkdown = trimmed.startsWith("|") && trimmed.endsWith("|") && trimmed.length > 1
  const cells = isMarkdown ? trimmed.slice(1, -1).split("|") : line.split(" | ")
  return cells.map((cell) => cell.trim())
}
