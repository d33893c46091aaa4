import type { Command } from "commander"
import type { Terminal } from "./terminal.ts"
import { collectNames, progressOf, withStores } from "./with-stores.ts"

interface ExportCommandOptions {
  readonly tenant: readonly string[]
  readonly withoutObjects?: true
}

const WHAT = `The folder holds packed JSON lines, one file a table, the objects, and a manifest that is written last.
API keys are not exported: make new ones where it is restored. Import it with: concordance import <folder>`

export function addExportCommand(program: Command, terminal: Terminal): void {
  program
    .command("export")
    .description("write everything of a tenant, or of all, into a folder")
    .argument("<folder>", "an empty one, or one that is to be made")
    .option("--tenant <name>", "whose documents; repeat it for more (default: every tenant)", collectNames, [])
    .option("--without-objects", "list uploads and pictures with size and digest, and don't copy them")
    .addHelpText("after", `\n${WHAT}`)
    .action((folder: string, options: ExportCommandOptions) => exportInto(folder, options, terminal))
}

async function exportInto(
  folder: string,
  { tenant, withoutObjects }: ExportCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const { exportTenants } = await import("../lib/care/export-tenants.ts")
  const progress = progressOf(terminal)
  const began = performance.now()
  const { tenants, tables, objects } = await withStores(terminal, (stores) =>
    exportTenants(stores, folder, {
      tenants: tenant.length > 0 ? tenant : undefined,
      withoutObjects,
      onProgress: progress.onProgress,
      signal: terminal.signal,
    }),
  ).finally(progress.end)
  const count = (table: string) => tables[table]?.rows ?? 0
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  terminal.line(
    `Exported ${tenants.length} tenants: ${count("documents")} documents, ${count("chunks")} chunks, ${count("embeddings")} vectors, ${objects.rows} objects${objects.included ? "" : " (listed alone)"} in ${seconds} s.`,
  )
  if (objects.missing > 0)
    terminal.note(`${objects.missing} objects that rows name are not in the store: see concordance verify.`)
}
