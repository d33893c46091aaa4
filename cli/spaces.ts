import type { Command } from "commander"
import type { Terminal } from "./terminal.ts"
import { withOwner } from "./with-runtime.ts"

export function addSpacesCommand(program: Command, terminal: Terminal): void {
  const spaces = program
    .command("spaces")
    .description("list the vectors of each tenant and model, and index large ones")
  spaces
    .command("list")
    .description("print each tenant's models, how many vectors each has, and whether they are indexed")
    .action(() => listSpaces(terminal))
  spaces
    .command("index")
    .description("build the HNSW index of one tenant's vectors; worth it above about 50,000 (searches go on meanwhile)")
    .argument("<model>", "as `spaces list` prints it")
    .option("--tenant <name>", "whose vectors", "primary")
    .action((model: string, { tenant }: { readonly tenant: string }) => indexSpace(tenant, model, terminal))
}

async function listSpaces(terminal: Terminal): Promise<void> {
  const { listVectorSpaces } = await import("../lib/database/vector-index.ts")
  const spaces = await withOwner(listVectorSpaces)
  for (const { tenant, model, dimensions, state, indexed, vectors } of spaces) {
    const scan = indexed ? "HNSW index" : "exact scan"
    terminal.line(`${tenant}  ${model}  ${vectors} vectors of ${dimensions}  ${state}  ${scan}`)
  }
  if (spaces.length === 0) terminal.note("There are no vectors yet. Index a folder with: concordance index <folder>")
}

async function indexSpace(tenant: string, model: string, terminal: Terminal): Promise<void> {
  const { buildVectorIndex } = await import("../lib/database/vector-index.ts")
  const began = performance.now()
  await withOwner((owner) => buildVectorIndex(owner, tenant, model))
  terminal.line(`Indexed in ${((performance.now() - began) / 1_000).toFixed(1)} s.`)
}
