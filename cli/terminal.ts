import type { WriteStream } from "node:tty"
import type { Interrupts } from "./interrupts.ts"
import { type Bars, openBars, openProgress, type Progress } from "./progress.ts"
import { openStatusLine, type StatusLine } from "./status-line.ts"
import { wrapText } from "./wrap-text.ts"

/** Where a command writes: results to stdout, everything said about them to stderr. */
export interface Terminal {
  /** One line of result. */
  line(text?: string): void
  /** One line for the person: progress, warnings, sums. */
  note(text: string): void
  /** Columns of stdout; 80 when it isn't a terminal. */
  readonly columns: number
  /** Lines of a screen; 24 when stdout isn't one. */
  readonly rows: number
  bold(text: string): string
  dim(text: string): string
  progress(label: string, total: number): Progress
  bars(): Bars
  status(): StatusLine
  /** Aborts at Ctrl-C; a second one ends the process at once. */
  readonly signal: AbortSignal
  /** Runs what Ctrl-C cancels without ending the command. */
  cancellable: Interrupts["cancellable"]
}

/** Columns of a page that is printed or piped. */
const COLUMNS = 80
const ROWS = 24

/**
 * The terminal over two streams. Colour and weight are left out where stdout is no terminal, or NO_COLOR or
 * TERM=dumb say so (`hasColors` reads them).
 */
export function createTerminal(
  out: WriteStream,
  err: WriteStream,
  { signal, cancellable }: Pick<Interrupts, "signal" | "cancellable">,
): Terminal {
  const styled = out.isTTY === true && out.hasColors()
  const style = (code: number) => (text: string) => (styled ? `\u001b[${code}m${text}\u001b[0m` : text)
  return {
    line: (text = "") => out.write(`${text}\n`),
    note: (text) => err.write(`${err.isTTY === true ? wrapText(text, err.columns).join("\n") : text}\n`),
    get columns() {
      return out.isTTY === true ? Math.max(40, out.columns) : COLUMNS
    },
    get rows() {
      return out.isTTY === true ? out.rows : ROWS
    },
    bold: style(1),
    dim: style(2),
    progress: (label, total) => openProgress(err, label, total),
    bars: () => openBars(err),
    status: () => openStatusLine(err),
    signal,
    cancellable,
  }
}

/**
 * What could act on a terminal, or make a line look like another: control characters, those that turn the direction of
 * writing, separators of lines, and tags that nobody sees.
 */
const UNPRINTABLE = /[\p{Cc}\u00ad\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** Text of a document as it may be printed on one line. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").replace(UNPRINTABLE, "")
}

/** JSON for a program that a terminal may show as well: what `printable` takes out is escaped. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNPRINTABLE, (found) =>
    found === "\n"
      ? found
      : [...Array(found.length).keys()]
          .map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`)
          .join(""),
  )
}
