import { type Command, InvalidArgumentError } from "commander"
import type { IngestListener } from "../lib/documents/ingest/background-runs.ts"
import type { TextFile } from "../lib/documents/read-folder.ts"
import { confirm } from "./confirm.ts"
import { CommandFailed } from "./exit.ts"
import type { Bar, Bars } from "./progress.ts"
import { type EngineChoice, engineOption, publishInto, withPublication } from "./publish.ts"
import { printable, type Terminal } from "./terminal.ts"
import { type Product, withRuntime } from "./with-runtime.ts"

interface IngestCommandOptions {
  readonly tenant: string
  readonly flat?: true
  readonly reset?: true
  readonly yes?: true
  readonly concurrency?: number
  readonly into?: EngineChoice
}

const HELP = `A path is a file, a folder, or a pattern like 'scans/**/*.pdf'. A document's id is its path
under the folder without the extension. The same file again changes nothing; another under the
same id replaces the document. What is stopped goes on from where it was the next time.

With --into the documents are then written into RETRIEVAL_COLLECTION of that index, their parents into
PARENT_EXPANSION_COLLECTION, and what was replaced or deleted here since is replaced or removed
there. Run it again after a failure: what is there is not written twice. docs/external-indexes.md`

export function addIngestCommand(program: Command, terminal: Terminal): void {
  program
    .command("ingest")
    .description("read PDFs, scans and office files: their pages, passages and pictures")
    .argument("[paths...]", "files, folders or patterns (default: DATA_DIR)")
    .option("--flat", "chunks without parents")
    .option("--reset", "first delete every document of this tenant")
    .option("--yes", "don't ask before --reset")
    .option("--concurrency <n>", "pages read at once (default: INGEST_CONCURRENCY)", parseConcurrency)
    .addOption(engineOption("--into", "the index to write them into as well"))
    .option("--tenant <name>", "whose documents they are", "primary")
    .addHelpText("after", `\n${HELP}`)
    .action((paths: string[], options: IngestCommandOptions) => ingest(paths, options, terminal))
}

function parseConcurrency(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1 || number > 64) throw new InvalidArgumentError("A number from 1 to 64.")
  return number
}

/** Documents on their way at once; their pages share `--concurrency`. */
const DOCUMENTS_AT_ONCE = 2

interface Tally {
  ready: number
  unchanged: number
  failed: number
  skipped: number
}

async function ingest(paths: readonly string[], options: IngestCommandOptions, terminal: Terminal): Promise<void> {
  const { tenant } = options
  if (options.reset && !options.yes && !(await confirm(`Delete every document of ${tenant}?`, terminal.signal))) {
    terminal.note("Nothing was deleted or read. Add --yes to --reset where nobody can answer.")
    throw new CommandFailed()
  }
  const tally: Tally = { ready: 0, unchanged: 0, failed: 0, skipped: 0 }
  const files = await listAll(paths, tally, terminal)
  const started = performance.now()
  const bars = terminal.bars()
  const underway = createUnderway(tenant, bars)
  try {
    await withRuntime(
      terminal,
      (product) =>
        withPublication(product, { engine: options.into, tenant, terminal }, async (publication) => {
          await ingestAll(product, files, options, { tally, underway, terminal })
          if (!publication) return
          bars.stop()
          const ids = files.map(({ id }) => id)
          await publishInto(publication, ids, terminal)
        }),
      { ingestListener: underway.listener, ingestConcurrency: options.concurrency, withoutSearch: true },
    )
  } finally {
    bars.stop()
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const { ready, unchanged, failed, skipped } = tally
  const documents = ready === 1 ? "1 document" : `${ready} documents`
  terminal.line(`Ingested ${documents} in ${seconds} s, unchanged ${unchanged}, skipped ${skipped}, failed ${failed}.`)
  if (failed > 0 || ready + unchanged === 0) throw new CommandFailed()
}

async function listAll(paths: readonly string[], tally: Tally, terminal: Terminal): Promise<TextFile[]> {
  const { listFiles } = await import("../lib/documents/ingest/list-files.ts")
  const { configFromEnvironment } = await import("../functions/environment.ts")
  const named = paths.length > 0 ? paths : [configFromEnvironment().dataDir]
  const files = new Map<string, TextFile>()
  const skip = (name: string, reason: string): void => {
    tally.skipped++
    terminal.note(`skipped ${printable(name)}: ${reason}`)
  }
  for (const path of named) {
    for (const file of await listFiles(path, skip)) {
      const same = files.get(file.id)
      if (same && same.path !== file.path) skip(file.path, `${same.path} has the same id`)
      else files.set(file.id, file)
    }
  }
  if (files.size > 0) return [...files.values()]
  terminal.note(`Error: there is no file to read at ${named.join(", ")}`)
  throw new CommandFailed()
}

/** Files that are being read, each with its bar. */
interface Underway {
  readonly listener: IngestListener
  begin(id: string, name: string): void
  /** Resolves when the document's job has ended. */
  ended(id: string): Promise<string>
}

function createUnderway(tenant: string, bars: Bars): Underway {
  const shown = new Map<
    string,
    { readonly bar: Bar; readonly end: (outcome: string) => void; readonly ended: Promise<string> }
  >()
  return {
    begin(id, name) {
      let end = (_: string): void => {}
      const ended = new Promise<string>((resolve) => {
        end = resolve
      })
      shown.set(id, { bar: bars.add(printable(name)), end, ended })
    },
    ended: async (id) => {
      const outcome = (await shown.get(id)?.ended) ?? ""
      shown.delete(id)
      return outcome
    },
    listener: {
      onProgress: (whose, id, { done, total }) => {
        if (whose === tenant) shown.get(id)?.bar.at(done, total)
      },
      onEnd: (whose, id, outcome) => {
        if (whose !== tenant) return
        shown.get(id)?.bar.end()
        shown.get(id)?.end(outcome)
      },
    },
  }
}

interface IngestRun {
  readonly tally: Tally
  readonly underway: Underway
  readonly terminal: Terminal
}

async function ingestAll(product: Product, files: readonly TextFile[], options: IngestCommandOptions, run: IngestRun) {
  const { tenant } = options
  if (options.reset) {
    const deleted = await product.ingest.reset(tenant)
    run.terminal.note(`Deleted ${deleted === 1 ? "1 document" : `${deleted} documents`} of ${tenant}.`)
  }
  await product.resumeIngest()
  const remaining = files.values()
  const interrupted = new Promise<void>((resolve) => {
    run.terminal.signal.addEventListener("abort", () => resolve(), { once: true })
  })
  const lines = Array.from({ length: DOCUMENTS_AT_ONCE }, async () => {
    for (const file of remaining) {
      if (run.terminal.signal.aborted) return
      await ingestOne(product, file, options, run)
    }
  })
  // What is under way is put down when the product closes, and goes on the next time.
  await Promise.race([Promise.all(lines), interrupted])
  run.terminal.signal.throwIfAborted()
}

async function ingestOne(
  product: Product,
  file: TextFile,
  options: IngestCommandOptions,
  run: IngestRun,
): Promise<void> {
  const { tally, underway, terminal } = run
  const { describeFile } = await import("../lib/documents/ingest/fetch-upload.ts")
  const { basename } = await import("node:path")
  const { AppError } = await import("../lib/errors.ts")
  const name = printable(file.name)
  try {
    underway.begin(file.id, file.name)
    const request = {
      id: file.id,
      fileName: basename(file.name),
      options: { metadata: {}, flat: options.flat ?? false },
    }
    const { status } = await product.ingest.add(options.tenant, request, await describeFile(file.path))
    if (status === "ready") {
      tally.unchanged++
      return
    }
    await underway.ended(file.id)
    const document = await product.documents.get(options.tenant, file.id)
    if (document.status === "ready") {
      tally.ready++
      const pages = document.page_count === undefined ? "" : `${document.page_count} pages, `
      terminal.note(`${name}: ${pages}${document.chunks} chunks`)
      for (const warning of document.warnings ?? []) terminal.note(`  ${printable(warning)}`)
    } else {
      tally.failed++
      terminal.note(`failed ${name}: ${printable(document.error?.message ?? document.status)}`)
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    tally.failed++
    terminal.note(`failed ${name}: ${printable(error.message)}`)
  }
}
