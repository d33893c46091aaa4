import type { WriteStream } from "node:tty"
import { type Bars, openBars, openProgress, type Progress } from "./progress.ts"

/** Where a command writes: results to stdout, everything said about them to stderr. */
export interface Terminal {
  /** One line of result. */
  line(text?: string): void
  /** One line for the person: progress, warnings, sums. */
  note(text: string): void
  /** Columns of stdout; 80 when it isn't a terminal. */
  readonly columns: number
  bold(text: string): string
  dim(text: string): string
  progress(label: string, total: number): Progress
  bars(): Bars
  /** Aborts at Ctrl-C; a second one ends the process at once. */
  readonly signal: AbortSignal
}

/** Columns of a page that is printed or piped. */
const COLUMNS = 80

/**
 * The terminal over two streams. Colour and weight are left out where stdout is no terminal, or NO_COLOR or
 * TERM=dumb say so (`hasColors` reads them).
 */
export function createTerminal(out: WriteStream, err: WriteStream, signal: AbortSignal): Terminal {
  const styled = out.isTTY === true && out.hasColors()
  const style = (code: number) => (text: string) => (styled ? `\u001b[${code}m${text}\u001b[0m` : text)
  return {
    line: (text = "") => out.write(`${text}\n`),
    note: (text) => err.write(`${text}\n`),
    columns: out.isTTY === true ? Math.max(40, out.columns) : COLUMNS,
    bold: style(1),
    dim: style(2),
    progress: (label, total) => openProgress(err, label, total),
    bars: () => openBars(err),
    signal,
  }
}

/** Text of a document as it may be printed: a control character could move the cursor, or set the window's title. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ")
}
