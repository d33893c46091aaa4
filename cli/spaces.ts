import { resolve } from "node:path"
import { type Command, InvalidArgumentError } from "commander"
import { activateSpaces } from "./spaces-activate.ts"
import { backfillSpaces } from "./spaces-backfill.ts"
import { compareTenant } from "./spaces-compare.ts"
import { createSpaces } from "./spaces-create.ts"
import { dropSpaces } from "./spaces-drop.ts"
import { listSpaces } from "./spaces-list.ts"
import type { Terminal } from "./terminal.ts"
import { withOwner } from "./with-runtime.ts"

/** Whose spaces a command is about. */
export interface TenantOptions {
  readonly tenant: string
  readonly all?: true
}

const MODEL = "as `spaces list` prints it"

export function addSpacesCommand(program: Command, terminal: Terminal): void {
  const spaces = program
    .command("spaces")
    .description(
      "list the vectors of each tenant and model, index large ones, and put another model in a model's place",
    )
  spaces
    .command("list")
    .description(
      "print each tenant's models: how many vectors each has, what it lacks, sizes, and whether it is indexed",
    )
    .action(() => listSpaces(terminal))
  spaces
    .command("index")
    .description("build the HNSW index of one tenant's vectors; worth it above about 50,000 (searches go on meanwhile)")
    .argument("<model>", MODEL)
    .option("--tenant <name>", "whose vectors", "primary")
    .action((model: string, { tenant }: TenantOptions) => indexSpace(tenant, model, terminal))
  addFieldCommands(spaces, terminal)
  addSwapCommands(spaces, terminal)
}

function addFieldCommands(spaces: Command, terminal: Terminal): void {
  spaces
    .command("index-field")
    .description(
      "index a field of one tenant's metadata, for filters that leave less than about a tenth of a large space (writers wait)",
    )
    .argument("<field>", "as a filter names it: year, author.name")
    .option("--tenant <name>", "whose chunks", "primary")
    .action((field: string, { tenant }: TenantOptions) => indexField(tenant, field, terminal))
  spaces
    .command("drop-field")
    .description("drop the index of a field; filters on it go on to work")
    .argument("<field>", "as `spaces list` prints it")
    .option("--tenant <name>", "whose chunks", "primary")
    .action(async (field: string, { tenant }: TenantOptions) => {
      const { dropFilterField } = await import("../lib/database/filter-fields.ts")
      await withOwner((owner) => dropFilterField(owner, tenant, field))
    })
}

/** In the order in which they are run. */
function addSwapCommands(spaces: Command, terminal: Terminal): void {
  forTenants(spaces.command("create"))
    .description("make an empty space for another model; nothing changes for searches and writes")
    .argument("<model>", "a name on Hugging Face, a folder (./… or /…), or a service's name for it", modelArgument)
    .option("--base-url <url>", "of the OpenAI-compatible API that runs it; its key is SPACES_API_KEY")
    .option("--service-url <url>", "of the service in the shape of Text Embeddings Inference that runs it")
    .option("--dimensions <n>", "of its vectors, where the model can make several", wholeNumber)
    .action((model: string, options) => createSpaces(model, options, terminal))
  forTenants(spaces.command("backfill"))
    .description("embed what a space lacks; run it again after it was interrupted, and it goes on where it was")
    .argument("<model>", MODEL, modelArgument)
    .option("--concurrency <n>", "batches under way at once; more than 1 for a model behind a service", wholeNumber, 1)
    .action((model: string, options) => backfillSpaces(model, options, terminal))
  spaces
    .command("compare")
    .description("ask a tenant's own model and this one the same, and print how far they agree")
    .argument("<model>", MODEL, modelArgument)
    .option("--tenant <name>", "whose spaces", "primary")
    .option("--queries <file>", "a query a line, or JSON lines with _id and text (default: titles of its documents)")
    .option("--judgments <folder>", "queries.jsonl and qrels/test.tsv in BEIR's form: prints nDCG@10 of both")
    .action((model: string, options) => compareTenant(model, options, terminal))
  forTenants(spaces.command("activate"))
    .description("make this the model of searches and writes; running servers follow within 30 seconds")
    .argument("<model>", MODEL, modelArgument)
    .option("--allow-missing", "even where chunks have no vector of it yet: they are found by words alone until then")
    .action((model: string, options) => activateSpaces(model, options, terminal))
  forTenants(spaces.command("drop"))
    .description("delete a model's vectors and their index; never those of the model in use")
    .argument("<model>", MODEL, modelArgument)
    .option("--brought", "vectors that callers brought, too")
    .option("--now", "even where servers may still search by them")
    .action((model: string, options) => dropSpaces(model, options, terminal))
}

function forTenants(command: Command): Command {
  return command
    .option("--tenant <name>", "whose space", "primary")
    .option("--all", "every tenant that has documents, or such a space")
}

/** A folder is called by its whole path: a server is started somewhere else. */
function modelArgument(model: string): string {
  return /^\.{1,2}\//.test(model) ? resolve(model) : model
}

function wholeNumber(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError("A whole number of at least 1.")
  return number
}

async function indexField(tenant: string, field: string, terminal: Terminal): Promise<void> {
  const { indexFilterField } = await import("../lib/database/filter-fields.ts")
  const began = performance.now()
  const values = await withOwner((owner) => indexFilterField(owner, tenant, field))
  terminal.line(`${values} values indexed in ${((performance.now() - began) / 1_000).toFixed(1)} s.`)
}

async function indexSpace(tenant: string, model: string, terminal: Terminal): Promise<void> {
  const { buildVectorIndex } = await import("../lib/database/vector-index.ts")
  const began = performance.now()
  await withOwner((owner) => buildVectorIndex(owner, tenant, model))
  terminal.line(`Indexed in ${((performance.now() - began) / 1_000).toFixed(1)} s.`)
}
