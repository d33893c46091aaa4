import type { AnswerCitation, SupportLabel } from "../../lib/answers/response.ts"
import { type Block, cellsOf, type Run } from "./answer-blocks.ts"
import type { Sources } from "./use-sources.ts"

interface AnswerTextProps {
  readonly blocks: readonly Block[]
  readonly citations: readonly AnswerCitation[]
  readonly sources: Sources
  readonly isWriting: boolean
}

/** What is said of a sentence that isn't wholly proven. */
const DOUBTS = { partially_supported: "partly borne out", not_supported: "not borne out" } as const

/** An answer, each of its sentences with the numbers of its sources, and a word where they don't bear it out. */
export function AnswerText({ blocks, ...shared }: AnswerTextProps) {
  if (blocks.length === 0) return null
  return (
    <div class="answer-text" aria-busy={shared.isWriting} data-writing={shared.isWriting}>
      {blocks.map((block, index) =>
        block.kind === "table" ? (
          <QuotedTable key={index} runs={block.runs} {...shared} />
        ) : (
          <p key={index} class={block.kind === "item" ? "answer-item" : undefined} dir="auto">
            {block.runs.map((run, at) => (
              <Sentence key={at} run={run} {...shared} />
            ))}
          </p>
        ),
      )}
    </div>
  )
}

type Shared = Omit<AnswerTextProps, "blocks">

/** A last word that is no longer than this keeps the first number beside it at the end of a line. */
const TIED_CHARS_MAX = 30

function Sentence({ run, ...shared }: { readonly run: Run } & Shared) {
  const [first, ...others] = run.sources
  const word = /\S+$/.exec(run.text)?.[0] ?? ""
  const tied = first !== undefined && word.length <= TIED_CHARS_MAX ? word : ""
  return (
    <>
      {run.lead}
      <span class="sentence" data-support={run.support ?? undefined}>
        {run.text.slice(0, run.text.length - tied.length)}
        <span class="tied">
          {tied}
          {first !== undefined && <Mark number={first} {...shared} />}
        </span>
      </span>
      {others.map((number) => (
        <Mark key={number} number={number} {...shared} />
      ))}
      <Doubt support={run.support} />
    </>
  )
}

function Mark({ number, citations, sources }: { readonly number: number } & Shared) {
  return (
    <button
      type="button"
      class="mark"
      data-shown={sources.shown === number}
      aria-label={`Source ${number}: ${nameOf(citations[number - 1])}`}
      aria-controls={sources.idOf(number)}
      onMouseEnter={() => sources.preview(number)}
      onFocus={() => sources.preview(number)}
      onClick={(event) => sources.pin(number, event.currentTarget)}
    >
      {number}
    </button>
  )
}

function Doubt({ support }: { readonly support: SupportLabel | null | undefined }) {
  if (support !== "partially_supported" && support !== "not_supported") return null
  return <span class={`chip doubt ${support === "not_supported" ? "chip-bad" : "chip-warn"}`}>{DOUBTS[support]}</span>
}

/** Rows as the document has them; the first that is quoted is the table's head. */
function QuotedTable({ runs, ...shared }: { readonly runs: readonly Run[] } & Shared) {
  const [head, ...rows] = runs
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls sideways, by keyboard too.
    <section class="answer-table" tabIndex={0} aria-label="Rows of a table, quoted">
      <table>
        {head && (
          <thead>
            <tr>
              {cellsOf(head).map((cell, column) => (
                <th key={column} scope="col" dir="auto">
                  {cell}
                </th>
              ))}
              <td>
                <RowMarks run={head} {...shared} />
              </td>
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {cellsOf(row).map((cell, column) => (
                <td key={column} dir="auto">
                  {cell}
                </td>
              ))}
              <td>
                <RowMarks run={row} {...shared} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function RowMarks({ run, ...shared }: { readonly run: Run } & Shared) {
  return (
    <span class="tied">
      {run.sources.map((number) => (
        <Mark key={number} number={number} {...shared} />
      ))}
      <Doubt support={run.support} />
    </span>
  )
}

/** A source's title, with its page where it has one. */
export function nameOf(citation: AnswerCitation | undefined): string {
  if (!citation) return "on its way"
  return `${citation.title || citation.id}${citation.page === undefined ? "" : `, page ${citation.page}`}`
}
