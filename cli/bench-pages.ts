import { describeMachine } from "../bench/machine.ts"
import { formatPageFigures, measurePages } from "../bench/pages.ts"
import type { PagesOptions } from "./bench.ts"
import type { Terminal } from "./terminal.ts"

/** `bench pages`: words and pictures of a PDF's pages, beside poppler's. */
export async function benchPages(path: string, options: PagesOptions, terminal: Terminal): Promise<void> {
  const { threads, rounds, json } = options
  const figures = await measurePages({ path, threads, rounds })
  if (!json) {
    terminal.line(formatPageFigures(figures))
    return
  }
  const command = `concordance bench pages ${path} --threads ${threads} --rounds ${rounds} --json`
  terminal.line(JSON.stringify({ machine: describeMachine(), command, ...figures }, null, 2))
}
