import type { ChunkDetails } from "../../lib/documents/page-details.ts"
import { languageName } from "../parts/format.ts"
import { NamedText } from "./names.tsx"
import { tableBlocks } from "./table-blocks.ts"
import { headingsOf, textBlocks } from "./text-blocks.ts"

interface PassageBodyProps {
  readonly chunk: ChunkDetails
  /** Of `content`, BCP 47. */
  readonly language: string
  /** The chunk's own text, or its translation. */
  readonly content: string
  /** Under a page's own heading, or right under the document's. */
  readonly heading: "h2" | "h3"
}

/** What a passage says, as what it is: paragraphs, a heading, a table, the words to a figure. */
export function PassageBody(props: PassageBodyProps) {
  const { chunk, language, content, heading: Heading } = props
  if (chunk.kind === "heading") {
    return (
      <Heading class="passage" lang={language} dir="auto">
        <NamedText text={content} chunk={chunk} />
      </Heading>
    )
  }
  if (chunk.kind === "table") return <TableText {...props} />
  return (
    <div class="passage" lang={language} dir="auto">
      {textBlocks(content, headingsOf(chunk.metadata)).map(({ kind, text }, index) =>
        kind === "heading" ? (
          <Heading key={index}>{text}</Heading>
        ) : (
          <p key={index}>
            <NamedText text={text} chunk={chunk} />
          </p>
        ),
      )}
    </div>
  )
}

function TableText({ chunk, language, content, heading: Heading }: PassageBodyProps) {
  const blocks = tableBlocks(content)
  const title = blocks.findLast((block) => "text" in block)?.text ?? `Table ${chunk.id}`
  return (
    <div lang={language} dir="auto">
      {blocks.map((block, index) =>
        "text" in block ? (
          <Heading key={index} class="passage">
            {block.text}
          </Heading>
        ) : (
          <section
            key={index}
            class="passage-table"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard too
            tabIndex={0}
            aria-label={`${title}, ${languageName(language)}`}
            data-own-arrows
          >
            <Rows rows={block.rows} />
          </section>
        ),
      )}
    </div>
  )
}

function Rows({ rows: [head = [], ...rows] }: { readonly rows: readonly (readonly string[])[] }) {
  const isNumber = (column: number) => rows.length > 0 && rows.every((row) => NUMBER.test(row[column] ?? ""))
  const kinds = head.map((_, column) => (isNumber(column) ? "number" : undefined))
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell, column) => (
            <th
              key={column}
              scope="col"
              data-kind={kinds[column]}
              style={{ minWidth: widthOf([head, ...rows], column) }}
            >
              {cell}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column} data-kind={kinds[column]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Characters that a column is wide at least, if it has words so long: others are broken. */
const WORD_MAX = 16

/** Room for a column's longest word, beside its padding. */
function widthOf(rows: readonly (readonly string[])[], column: number): string {
  const words = rows.flatMap((row) => (row[column] ?? "").split(/\s+/))
  const longest = words.reduce((length, word) => Math.max(length, word.length), 0)
  return `calc(${Math.min(longest, WORD_MAX)}ch + 1.75rem)`
}

/** A figure, with what may stand around it; an empty cell is no word. */
const NUMBER = /^[\s\d.,+−%€$£–-]*$/
