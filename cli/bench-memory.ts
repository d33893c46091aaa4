import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describeMachine } from "../bench/machine.ts"
import { formatMemoryFigures, measureProductMemory, measureReaderMemory, writeBook } from "../bench/memory.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import { createLog } from "../lib/log.ts"
import type { Terminal } from "./terminal.ts"

export interface MemoryOptions {
  readonly threads: number
  readonly book: number
  readonly product?: true
  readonly json?: true
}

/** `bench memory`: what reading or ingesting a file takes above idle. */
export async function benchMemory(file: string | undefined, options: MemoryOptions, terminal: Terminal): Promise<void> {
  const { threads, book, product, json } = options
  const folder = await mkdtemp(join(tmpdir(), "concordance-bench-book-"))
  try {
    const path = file ?? (await writeBook(folder, book))
    const log = createLog({ level: "warn", write: (line) => terminal.note(line.trimEnd()), readable: true })
    const figures = product
      ? await measureProductMemory({ path, threads }, configFromEnvironment(), log)
      : await measureReaderMemory({ path, threads })
    if (!json) {
      terminal.line(formatMemoryFigures(figures))
      return
    }
    const command = `concordance bench memory ${file ?? `--book ${book}`} --threads ${threads}${product ? " --product" : ""} --json`
    terminal.line(JSON.stringify({ machine: describeMachine(), command, ...figures }, null, 2))
  } finally {
    await rm(folder, { recursive: true })
  }
}
