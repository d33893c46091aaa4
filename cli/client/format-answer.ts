import type { AnswerCitation, AnswerResponse, AnswerSentence } from "../../lib/answers/response.ts"
import { formatSnippet } from "../snippet.ts"
import { printable, type Terminal } from "../terminal.ts"
import { clip, wrapText } from "../wrap-text.ts"

type Style = Pick<Terminal, "bold" | "dim" | "columns">

const EXCERPT_LINES = 2
/** As `[12]` and a space. */
const INDENT = "     "

/** An answer as a person reads it: the text with numbers for its citations, how far it is borne out, and its sources. */
export function formatAnswer(response: AnswerResponse, style: Style): string[] {
  const { citations } = response
  const lines = [
    ...wrapText(numbered(response), style.columns),
    "",
    ...verdict(response).flatMap((line) => wrapText(line, style.columns)),
    ...unsupported(response, style),
  ]
  if (citations.length === 0) return lines
  return [
    ...lines,
    "",
    style.bold(citations.length === 1 ? "Source" : "Sources"),
    ...citations.flatMap((source, index) => formatSource(source, index + 1, style)),
  ]
}

/** `[1]` and its title and page, in one line of at most `columns`. */
export function sourceName({ title, id, page }: AnswerCitation, number: number, columns: number): string {
  const place = page === undefined ? "" : `, page ${page}`
  const head = `[${number}]`.padEnd(INDENT.length)
  return `${head}${clip(printable(title || id), columns - head.length - place.length)}${place}`
}

function formatSource(source: AnswerCitation, number: number, style: Style): string[] {
  const excerpt = formatSnippet(source.content, [], {
    width: style.columns - INDENT.length,
    lines: EXCERPT_LINES,
    emphasize: (text) => text,
  })
  return [sourceName(source, number, style.columns), ...excerpt.map((line) => style.dim(INDENT + line))]
}

/** The answer's text with `[1]` for `[[doc/p007#c0042]]`. */
function numbered({ answer, citations }: AnswerResponse): string {
  const numbers = new Map(citations.map(({ citation }, index) => [citation, index + 1]))
  return answer
    .replace(/\[\[[^[\]]*\]\]/g, (citation) => (numbers.has(citation) ? `[${numbers.get(citation)}]` : citation))
    .split(/\r?\n/)
    .map(printable)
    .join("\n")
}

/** What is known of the answer as a whole, good and bad. */
function verdict({ refused, retrieved, useful, generator, sentences }: AnswerResponse): string[] {
  if (refused) return ["Refused: no passage that was found answers it. Try other words, or a search."]
  const lines = [supportWords(sentences)]
  if (!retrieved) lines.push("No documents were searched for it.")
  if (useful === false) lines.push("It may not answer the question.")
  if (generator === "extractive") lines.push("Quoted word for word: the server has no language model.")
  return [lines.join(" ")]
}

function supportWords(sentences: readonly AnswerSentence[]): string {
  const supported = sentences.filter(({ support }) => support === "fully_supported").length
  if (sentences.every(({ support }) => support === null)) return "Not checked against sources."
  if (supported < sentences.length) {
    return `Supported: ${supported} of ${sentences.length} ${sentences.length === 1 ? "sentence" : "sentences"}.`
  }
  return sentences.length === 1 ? "Supported by its source." : `Supported: all ${sentences.length} sentences.`
}

/** The sentences that their sources don't bear out, or not wholly. */
function unsupported({ refused, sentences }: AnswerResponse, { columns }: Style): string[] {
  if (refused || sentences.every(({ support }) => support === null)) return []
  return sentences
    .filter(({ support }) => support !== "fully_supported")
    .map(({ text, support }) => clip(`  ${labelOf(support)}: ${printable(text)}`, columns))
}

function labelOf(support: AnswerSentence["support"]): string {
  if (support === "partially_supported") return "only in part"
  return support === "not_supported" ? "NOT supported" : "not checked"
}
