import { describeMachine } from "../bench/machine.ts"
import { formatPageFigures, measurePages } from "../bench/pages.ts"
import type { Terminal } from "./terminal.ts"

export interface PagesOptions {
  readonly threads: number
  readonly rounds: number
  readonly pages?: number
  readonly json?: true
}

/** `bench pages`: words and pictures of a PDF's pages, beside poppler's. */
export async function benchPages(path: string, options: PagesOptions, terminal: Terminal): Promise<void> {
  const { threads, rounds, pages, json } = options
  const figures = await measurePages({ path, threads, rounds, ...(pages !== undefined && { pagesMax: pages }) })
  if (!json) {
    terminal.line(formatPageFigures(figures))
    return
  }
  const command = `concordance bench pages ${path} --threads ${threads} --rounds ${rounds}${pages === undefined ? "" : ` --pages ${pages}`} --json`
  terminal.line(JSON.stringify({ machine: describeMachine(), command, ...figures }, null, 2))
}
