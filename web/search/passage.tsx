import { useState } from "preact/hooks"
import { MarkedText } from "../parts/marked-text.tsx"
import { excerptOf, type Mark } from "./excerpt.ts"
import { type Block, type Piece, paragraphsOf, passageBlocks } from "./passage-blocks.ts"

/** Rows of a table that are shown before it is opened, with its head. */
const ROWS = 6

interface PassageProps {
  readonly text: string
  readonly marks?: readonly Mark[] | undefined
  readonly language: string
}

/** A passage as one would read it: the part around its marked words, all of it on demand, tables as tables. */
export function Passage({ text, marks = [], language }: PassageProps) {
  const [isOpen, setOpen] = useState(false)
  const blocks = passageBlocks(text.trimEnd(), marks)
  const shown = isOpen ? blocks : blocks.map(shortened)
  const isCut = shown.some((block, index) => block !== blocks[index])
  return (
    <div class="result-passage" lang={language} dir="auto">
      {shown.map((block, index) =>
        block.kind === "table" ? <Rows key={index} rows={block.rows} /> : <Words key={index} piece={block.piece} />,
      )}
      {(isCut || isOpen) && (
        <button type="button" class="button-quiet" lang="en" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : "Show all"}
        </button>
      )}
    </div>
  )
}

function shortened(block: Block): Block {
  if (block.kind === "table")
    return block.rows.length > ROWS + 1 ? { ...block, rows: block.rows.slice(0, ROWS) } : block
  const { text, marks, cutBefore, cutAfter } = excerptOf(block.piece.text, block.piece.marks)
  if (!cutBefore && !cutAfter) return block
  return {
    kind: "text",
    piece: { text: ellipsis(text, cutBefore, cutAfter), marks: cutBefore ? shifted(marks, 2) : marks },
  }
}

const ellipsis = (text: string, before: boolean, after: boolean) =>
  `${before ? "… " : ""}${text.trimEnd()}${after ? " …" : ""}`

const shifted = (marks: readonly Mark[], by: number) =>
  marks.map(({ start, end }) => ({ start: start + by, end: end + by }))

function Words({ piece }: { readonly piece: Piece }) {
  return (
    <>
      {paragraphsOf(piece).map(({ text, marks }, index) => (
        <p key={index} class="passage">
          <MarkedText text={text} marks={marks} />
        </p>
      ))}
    </>
  )
}

function Rows({ rows }: { readonly rows: readonly Piece[][] }) {
  const [head = [], ...others] = rows
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by itself where it is too wide, also by keys.
    <section class="hit-table" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) =>
              cell.text === "" ? (
                <td key={index} />
              ) : (
                <th key={index} scope="col">
                  <MarkedText text={cell.text} marks={cell.marks} />
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {others.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <MarkedText text={cell.text} marks={cell.marks} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
