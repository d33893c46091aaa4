import { describeMachine } from "../bench/machine.ts"
import { formatReadingOrder, measureReadingOrder } from "../bench/reading-order.ts"
import type { Terminal } from "./terminal.ts"

export interface ReadingOrderOptions {
  readonly json?: true
}

/** `bench reading-order`: our order of each PDF's words beside that of poppler's `pdftotext`. */
export async function benchReadingOrder(
  paths: readonly string[],
  { json }: ReadingOrderOptions,
  terminal: Terminal,
): Promise<void> {
  const figures = await measureReadingOrder(paths)
  if (!json) {
    terminal.line(formatReadingOrder(figures))
    return
  }
  const command = `concordance bench reading-order ${paths.join(" ")} --json`
  terminal.line(JSON.stringify({ machine: describeMachine(), command, files: figures }, null, 2))
}
