import type { Command } from "commander"
import { confirm } from "./confirm.ts"
import { CommandFailed, EXIT } from "./exit.ts"
import { printable, type Terminal } from "./terminal.ts"
import { withOwner } from "./with-runtime.ts"
import { progressOf, withStores } from "./with-stores.ts"

interface EraseCommandOptions {
  readonly yes?: true
  readonly leavePublished?: true
}

export function addTenantsCommand(program: Command, terminal: Terminal): void {
  const tenants = program.command("tenants").description("list tenants, and erase one")
  tenants
    .command("list")
    .description("print every tenant that has rows")
    .option("--json", "print them as JSON, one a line")
    .action((options: { readonly json?: true }) => listAll(options, terminal))
  tenants
    .command("erase")
    .description("erase every trace of a tenant: rows, objects, counts, jobs, and keys that name it alone")
    .argument("<tenant>", "its name")
    .option("--yes", "don't ask")
    .option("--leave-published", "go on though indexes elsewhere hold documents of it")
    .addHelpText(
      "after",
      "\nKilled, it is run again. What stays (backups, a bucket's old versions, logs): docs/operations.md.",
    )
    .action((tenant: string, options: EraseCommandOptions) => erase(tenant, options, terminal))
}

async function listAll({ json }: { readonly json?: true }, terminal: Terminal): Promise<void> {
  const { listTenants } = await import("../lib/care/tenants.ts")
  const tenants = await withOwner(listTenants)
  for (const each of tenants) {
    const { tenant, documents, chunks } = each
    terminal.line(json ? JSON.stringify(each) : `${printable(tenant)}  ${documents} documents, ${chunks} chunks`)
  }
  if (tenants.length === 0 && !json) terminal.note("There are no tenants yet: the first document makes one.")
}

async function erase(tenant: string, { yes, leavePublished }: EraseCommandOptions, terminal: Terminal): Promise<void> {
  const { eraseTenant } = await import("../lib/care/erase-tenant.ts")
  const question = `This erases all documents, objects and keys of ${printable(tenant)} for good.`
  if (!yes && !(await confirm(question, terminal.signal))) {
    terminal.note("Nothing was erased. Without a terminal to ask on, use --yes.")
    throw new CommandFailed(EXIT.usage)
  }
  const progress = progressOf(terminal)
  const { rows, objects, keysRevoked, keysNarrowed } = await withStores(terminal, (stores) =>
    eraseTenant(stores, tenant, { leavePublished, onProgress: progress.onProgress, signal: terminal.signal }),
  ).finally(progress.end)
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
  terminal.line(`Erased ${rows["documents"] ?? 0} documents, ${total} rows and what hung on them, ${objects} objects.`)
  for (const id of keysRevoked) terminal.line(`Revoked ${id}: it named this tenant alone.`)
  for (const id of keysNarrowed) terminal.line(`Took the tenant from ${id}, which names others too.`)
  terminal.note(
    "Still there: backups, old versions in a bucket for 30 days, logs. A running service forgets its keys within 30 s.",
  )
}
