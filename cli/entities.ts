import type { Command } from "commander"
import type { Terminal } from "./terminal.ts"
import { withDatabase } from "./with-runtime.ts"

export function addEntitiesCommand(program: Command, terminal: Terminal): void {
  program
    .command("entities")
    .description("who and what the documents name")
    .command("rebuild")
    .description("write all entities and their mentions anew, from what the chunks carry")
    .option("--tenant <name>", "whose entities", "primary")
    .action(({ tenant }: { readonly tenant: string }) => rebuildEntities(tenant, terminal))
}

async function rebuildEntities(tenant: string, terminal: Terminal): Promise<void> {
  const { createEntities } = await import("../lib/documents/entities.ts")
  await withDatabase(async (database) => {
    const began = performance.now()
    const { entities, mentions } = await createEntities(database).rebuild(tenant)
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    terminal.line(`${entities} entities, mentioned ${mentions} times, written in ${seconds} s.`)
  })
}
