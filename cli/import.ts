import type { Command } from "commander"
import type { ImportOutcome } from "../lib/documents/bundles/import-bundle.ts"
import { AppError } from "../lib/errors.ts"
import { CommandFailed } from "./exit.ts"
import { printable, type Terminal } from "./terminal.ts"
import { withRuntime } from "./with-runtime.ts"
import { collectNames } from "./with-stores.ts"

interface ImportCommandOptions {
  readonly tenant: readonly string[]
  readonly skipExisting?: true
  readonly replace?: true
}

const WHAT = `A bundle is a folder with an _index.json, chunks/, images/ and tables/:
docs/bundles.md. A document of the tenant with the same id is replaced. What concordance export
wrote is known by its manifest.json, and restored: docs/operations.md.`

export function addImportCommand(program: Command, terminal: Terminal): void {
  program
    .command("import")
    .description("import a bundle, every bundle under a folder, or an export")
    .argument("<folder>", "the bundle, what holds bundles, or the export")
    .option("--skip-existing", "leave documents that are there as they are")
    .option("--replace", "of an export: replace documents that are there")
    .option(
      "--tenant <name>",
      "whose documents a bundle becomes (default: primary); of an export the tenants to restore, each as it is or old=new (default: all)",
      collectNames,
      [],
    )
    .addHelpText("after", `\n${WHAT}`)
    .action((folder: string, options: ImportCommandOptions) => importFolder(folder, options, terminal))
}

/** Warnings printed one by one of each bundle; of the others their number. */
const WARNINGS_SHOWN = 20

async function importFolder(folder: string, options: ImportCommandOptions, terminal: Terminal): Promise<void> {
  const { isExport } = await import("../lib/care/export-tenants.ts")
  if (await isExport(folder)) {
    const { restoreFolder } = await import("./restore.ts")
    return restoreFolder(folder, { names: options.tenant, replace: options.replace === true }, terminal)
  }
  const [tenant = "primary", ...others] = options.tenant
  if (others.length > 0) throw new AppError("invalid_request", "--tenant: a bundle becomes one tenant's document")
  const { findBundles } = await import("../lib/documents/bundles/find-bundles.ts")
  const notes: string[] = []
  const bundles = await findBundles(folder, (name, reason) => notes.push(`skipped ${printable(name)}: ${reason}`))
  if (bundles.length === 0) {
    terminal.note(`Error: ${folder} holds no bundle (a folder with an _index.json)`)
    throw new CommandFailed()
  }
  const started = performance.now()
  const outcomes: ImportOutcome[] = []
  let failed = 0
  await withRuntime(terminal, async (product) => {
    const progress = terminal.progress("Importing", bundles.length)
    try {
      for (const [i, { path, name }] of bundles.entries()) {
        terminal.signal.throwIfAborted()
        try {
          const outcome = await product.importBundle(tenant, path, {
            skipExisting: options.skipExisting === true,
          })
          outcomes.push(outcome)
          noteWarnings(name, outcome.warnings, notes)
        } catch (error) {
          // One bundle that can't be imported doesn't keep the others out; what the next would meet too does.
          if (!(error instanceof AppError) || !OF_THE_BUNDLE.has(error.code)) throw error
          failed++
          notes.push(`failed ${printable(name)}: ${error.message}`)
        }
        progress.at(i + 1)
      }
    } finally {
      progress.stop()
    }
  })
  for (const note of notes) for (const line of note.split("\n")) terminal.note(printable(line))
  terminal.line(summary(outcomes, failed, performance.now() - started))
  if (failed > 0) throw new CommandFailed()
}

const OF_THE_BUNDLE = new Set(["invalid_request", "not_found", "document_unreadable", "document_too_large"])

function noteWarnings(name: string, warnings: readonly string[], notes: string[]): void {
  for (const warning of warnings.slice(0, WARNINGS_SHOWN)) notes.push(`${printable(name)}: ${printable(warning)}`)
  if (warnings.length > WARNINGS_SHOWN) notes.push(`${printable(name)}: and ${warnings.length - WARNINGS_SHOWN} more`)
}

function summary(outcomes: readonly ImportOutcome[], failed: number, ms: number): string {
  const imported = outcomes.filter(({ status }) => status === "imported")
  const sum = (count: (outcome: ImportOutcome) => number) => imported.reduce((total, each) => total + count(each), 0)
  const documents = imported.length === 1 ? "1 document" : `${imported.length} documents`
  const parts = `${sum((each) => each.chunks)} chunks, ${sum((each) => each.images)} images, ${sum((each) => each.tables)} tables`
  const skipped = outcomes.length - imported.length
  return `Imported ${documents} (${parts}) in ${(ms / 1000).toFixed(1)} s, skipped ${skipped}, failed ${failed}.`
}
