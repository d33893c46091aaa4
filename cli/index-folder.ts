import type { Command } from "commander"
import type { IndexRequest } from "../lib/documents/index-request.ts"
import type { OnSkip, TextFile } from "../lib/documents/read-folder.ts"
import { CommandFailed } from "./exit.ts"
import { printable, type Terminal } from "./terminal.ts"
import { withRuntime } from "./with-runtime.ts"

interface IndexOptions {
  readonly tenant: string
}

const IDS = `A document's id is its path under the folder without the extension:
tides/spring.md becomes tides/spring, and a tides/spring.txt beside it keeps its
extension. A document of the tenant with the same id is replaced.`

export function addIndexCommand(program: Command, terminal: Terminal): void {
  program
    .command("index")
    .description("index the text and Markdown files of a folder, or one file")
    .argument("<path>", "folder or file")
    .option("--tenant <name>", "whose documents they are", "primary")
    .addHelpText("after", `\n${IDS}`)
    .action((path: string, options: IndexOptions) => indexFolder(path, options, terminal))
}

/** A group goes through the models and into the database together; what is longer than that goes alone. */
const GROUP_DOCUMENTS = 32
const GROUP_CHARS = 200_000
/** Reasons printed one by one; of the others their number. */
const REASONS_SHOWN = 20

async function indexFolder(path: string, { tenant }: IndexOptions, terminal: Terminal): Promise<void> {
  const { listFolder } = await import("../lib/documents/read-folder.ts")
  const skipped: string[] = []
  const onSkip: OnSkip = (name, reason) => skipped.push(`skipped ${printable(name)}: ${reason}`)
  const files = await listFolder(path, onSkip)
  if (files.length === 0) {
    noteReasons(skipped, terminal)
    terminal.note(`Error: ${path} holds no text or Markdown file (.md, .markdown, .txt)`)
    throw new CommandFailed()
  }
  const started = performance.now()
  const failed: string[] = []
  const names = new Map(files.map(({ id, name }) => [id, name]))
  let indexed = 0
  await withRuntime(terminal, async (product) => {
    const progress = terminal.progress("Indexing", files.length)
    try {
      for await (const { documents, filesRead } of readGroups(files, onSkip)) {
        terminal.signal.throwIfAborted()
        for (const outcome of await product.indexDocuments(tenant, documents)) {
          if ("indexed" in outcome) indexed += 1
          else failed.push(`failed ${printable(names.get(outcome.id) ?? outcome.id)}: ${outcome.failed.message}`)
        }
        progress.at(filesRead)
      }
    } finally {
      progress.stop()
    }
  })
  noteReasons(skipped, terminal)
  noteReasons(failed, terminal)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const documents = indexed === 1 ? "1 document" : `${indexed} documents`
  terminal.line(`Indexed ${documents} in ${seconds} s, skipped ${skipped.length}, failed ${failed.length}.`)
  if (failed.length > 0 || indexed === 0) throw new CommandFailed()
}

/** The files' documents in groups that fit in memory, each with how many files have been read so far. */
async function* readGroups(files: readonly TextFile[], onSkip: OnSkip) {
  const { readTextFile } = await import("../lib/documents/read-folder.ts")
  let documents: IndexRequest[] = []
  let chars = 0
  for (const [index, file] of files.entries()) {
    const read = await readTextFile(file)
    if (typeof read === "string") onSkip(file.name, read)
    else {
      documents.push(read)
      chars += read.content?.length ?? 0
    }
    const full = documents.length >= GROUP_DOCUMENTS || chars >= GROUP_CHARS
    if (!full && index < files.length - 1) continue
    yield { documents, filesRead: index + 1 }
    documents = []
    chars = 0
  }
}

function noteReasons(reasons: readonly string[], terminal: Terminal): void {
  for (const reason of reasons.slice(0, REASONS_SHOWN)) terminal.note(reason)
  if (reasons.length > REASONS_SHOWN) terminal.note(`and ${reasons.length - REASONS_SHOWN} more`)
}
