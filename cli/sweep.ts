import type { Command } from "commander"
import type { Terminal } from "./terminal.ts"
import { collectNames, withStores } from "./with-stores.ts"

export function addSweepCommand(program: Command, terminal: Terminal): void {
  program
    .command("sweep")
    .description("delete documents older than RETENTION_DAYS, and what deletes and uploads left; for cron")
    .option("--tenant <name>", "whose; repeat it for more (default: every tenant)", collectNames, [])
    .action((options: { readonly tenant: readonly string[] }) => sweepAll(options.tenant, terminal))
}

async function sweepAll(names: readonly string[], terminal: Terminal): Promise<void> {
  const { sweep } = await import("../lib/care/sweep.ts")
  const tenants = names.length > 0 ? names : undefined
  const { documents, leftovers, tombstones } = await withStores(terminal, (stores) =>
    sweep(stores, { tenants, retentionDays: stores.config.retentionDays, signal: terminal.signal }),
  )
  terminal.line(
    `Deleted ${documents} old documents, looked through ${leftovers} leftovers, forgot ${tombstones} tombstones.`,
  )
}
