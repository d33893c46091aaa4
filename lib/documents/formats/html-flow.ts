import { type BlockWriter, oneLine } from "./block-writer.ts"
import { createListLines, type ListLines } from "./html-lists.ts"

/**
 * What is gathered of running text until a block begins or ends, wherever in the tree that is, so that misnested markup
 * loses nothing.
 */
export interface HtmlFlow {
  readonly lists: ListLines
  /** Adds text to the paragraph; `\n` is a line break of its author. */
  inline(text: string): void
  /** A picture within the paragraph; its text comes after it. */
  picture(text: string): void
  /** Ends the paragraph: it becomes a line of the list around it, else a block. */
  flush(): void
  /** Ends the paragraph and writes a block of its own. */
  block(write: () => void): void
  /** A term of a definition list: terms go before what is said of them. */
  term(text: string): void
  /** What is said of the terms before begins. */
  definition(): void
  /** Ends it all. */
  end(): void
}

/** The flow of one tree. */
export function createHtmlFlow(writer: BlockWriter): HtmlFlow {
  const lists = createListLines(writer)
  let parts: string[] = []
  let pictures: string[] = []
  let terms: string[] = []
  let owesTerms = false

  const flush = (): void => {
    let text = tidy(parts)
    parts = []
    if (owesTerms && (text !== "" || pictures.length > 0)) {
      text = text === "" ? terms.join(", ") : `${terms.join(", ")}: ${text}`
      owesTerms = false
    }
    if (text !== "" && !lists.add(text)) writer.text(text)
    if (pictures.length > 0) lists.write()
    for (const picture of pictures) writer.figure(picture)
    pictures = []
  }
  const payTerms = (): void => {
    if (owesTerms) writer.text(terms.join(", "))
    owesTerms = false
  }
  return {
    lists,
    inline: (text) => void parts.push(text),
    picture: (text) => void pictures.push(text),
    flush,
    block(write) {
      flush()
      payTerms()
      lists.write()
      write()
    },
    term(text) {
      flush()
      if (!owesTerms) terms = []
      if (text !== "") terms.push(text)
      owesTerms = terms.length > 0
    },
    definition() {
      flush()
      owesTerms = terms.length > 0
    },
    end() {
      flush()
      payTerms()
      lists.write()
    },
  }
}

/** White space collapsed as browsers do it; line breaks are those of `<br>`. */
function tidy(parts: readonly string[]): string {
  if (parts.length === 0) return ""
  const lines = parts.join("").split("\n").map(oneLine)
  return lines.join("\n").trim()
}
