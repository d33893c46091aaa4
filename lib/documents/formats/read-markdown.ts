import type { RootContent } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"
import { gfmFromMarkdown } from "mdast-util-gfm"
import { gfm } from "micromark-extension-gfm"
import type { Block, ReadDocument } from "../block.ts"
import { readFrontMatter } from "../front-matter.ts"
import { createBlockWriter } from "./block-writer.ts"
import { calmMarkdown, restoreMarks } from "./calm-markdown.ts"
import { decodeText } from "./decode-text.ts"
import { writeMarkdown } from "./markdown-blocks.ts"
import { splitMarkdown } from "./split-markdown.ts"

/** Reads Markdown with GitHub's extensions. `title` and `language` (or `lang`) of its front matter are the document's. */
export function readMarkdown(bytes: Uint8Array): ReadDocument {
  const { fields, body } = readFrontMatter(decodeText(bytes).replace(/\r\n?/g, "\n"))
  const writer = createBlockWriter()
  const { text, tangled } = calmMarkdown(body)
  const { parts, labels } = splitMarkdown(text)
  for (const part of parts) writeMarkdown(parseMarkdown(part), labels, writer)
  if (tangled > 0) writer.warn(`${tangled} paragraphs have too many marks for Markdown; they were read as they stand.`)
  const field = (name: string): string | null => (typeof fields[name] === "string" ? fields[name] : null)
  const document = writer.finish({ title: field("title"), language: field("language") ?? field("lang") })
  return tangled > 0 ? { ...document, blocks: document.blocks.map(restoreBlock) } : document
}

function parseMarkdown(text: string): readonly RootContent[] {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }).children
}

function restoreBlock(block: Block): Block {
  const table = block.table && { ...block.table, rows: block.table.rows.map((row) => row.map(restoreMarks)) }
  return { ...block, text: restoreMarks(block.text), table }
}
