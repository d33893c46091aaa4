import type { Command } from "commander"
import type { IndexRequest } from "../lib/documents/index-request.ts"
import { CommandFailed } from "./exit.ts"
import { printable, type Terminal } from "./terminal.ts"
import { withRuntime } from "./with-runtime.ts"

interface IndexOptions {
  readonly tenant: string
}

export function addIndexCommand(program: Command, terminal: Terminal): void {
  program
    .command("index")
    .description("index the text and Markdown files of a folder, or one file")
    .argument("<path>", "folder or file; an id is the path under the folder without its extension")
    .option("--tenant <name>", "whose documents they are", "primary")
    .action((path: string, options: IndexOptions) => indexFolder(path, options, terminal))
}

/** A group goes through the models and into the database together; what is longer than that goes alone. */
const GROUP_DOCUMENTS = 32
const GROUP_CHARS = 200_000
/** Reasons printed one by one; of the others their number. */
const REASONS_SHOWN = 20

async function indexFolder(path: string, { tenant }: IndexOptions, terminal: Terminal): Promise<void> {
  const { listFolder, readTextFile } = await import("../lib/documents/read-folder.ts")
  const skipped: string[] = []
  const skip = (name: string, reason: string) => skipped.push(`skipped ${printable(name)}: ${reason}`)
  const files = await listFolder(path, skip)
  if (files.length === 0) {
    noteReasons(skipped, terminal)
    terminal.note(`Error: ${path} holds no text or Markdown file (.md, .markdown, .txt)`)
    throw new CommandFailed()
  }
  const failed: string[] = []
  const started = performance.now()
  let indexed = 0
  await withRuntime(terminal, async (runtime) => {
    const progress = terminal.progress("Indexing", files.length)
    const group: IndexRequest[] = []
    const flush = async () => {
      const outcomes = await runtime.indexDocuments(tenant, group.splice(0))
      for (const outcome of outcomes) {
        if ("failed" in outcome) failed.push(`failed ${printable(outcome.id)}: ${outcome.failed.message}`)
        else indexed += 1
      }
    }
    try {
      for (const [index, file] of files.entries()) {
        terminal.signal.throwIfAborted()
        const read = await readTextFile(file)
        if (typeof read === "string") skip(file.id, read)
        else group.push(read)
        const chars = group.reduce((sum, { content }) => sum + (content?.length ?? 0), 0)
        if (group.length >= GROUP_DOCUMENTS || chars >= GROUP_CHARS) await flush()
        if (group.length === 0) progress.at(index + 1)
      }
      if (group.length > 0) await flush()
      progress.at(files.length)
    } finally {
      progress.stop()
    }
  })
  noteReasons(skipped, terminal)
  noteReasons(failed, terminal)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  terminal.line(`Indexed ${indexed} documents in ${seconds} s, skipped ${skipped.length}, failed ${failed.length}.`)
  if (failed.length > 0 || indexed === 0) throw new CommandFailed()
}

function noteReasons(reasons: readonly string[], terminal: Terminal): void {
  for (const reason of reasons.slice(0, REASONS_SHOWN)) terminal.note(reason)
  if (reasons.length > REASONS_SHOWN) terminal.note(`and ${reasons.length - REASONS_SHOWN} more`)
}
