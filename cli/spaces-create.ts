import type { ModelOpening } from "../lib/inference/model-opening.ts"
import type { TenantOptions } from "./spaces.ts"
import type { Terminal } from "./terminal.ts"

interface CreateOptions extends TenantOptions {
  readonly baseUrl?: string
  readonly serviceUrl?: string
  readonly dimensions?: number
}

/** `spaces create`. */
export async function createSpaces(name: string, options: CreateOptions, terminal: Terminal): Promise<void> {
  const { createSpace } = await import("../lib/documents/spaces/create-space.ts")
  const { tenantsOf, withSwap } = await import("./swap-models.ts")
  await withSwap(async (swap) => {
    const opening = await openingFrom(name, options)
    const embedder = await swap.open(opening)
    const { model } = embedder
    // One word, so that it is known to answer before anything is made for it.
    const { vectors } = await embedder.embed(["model"], "query")
    const dimensions = vectors[0]?.length ?? embedder.dimensions
    const standard = await swap.standard()
    for (const tenant of await tenantsOf(swap, options)) {
      const made = await createSpace(swap.owner, tenant, { model, dimensions, opening }, standard)
      terminal.line(`${tenant}  ${model}  ${dimensions} dimensions  ${made ? "made" : "is there"}`)
    }
    terminal.note(
      `Fill it with: concordance spaces backfill ${model} ${options.all ? "--all" : `--tenant ${options.tenant}`}`,
    )
  })
}

async function openingFrom(model: string, { baseUrl, serviceUrl, dimensions }: CreateOptions): Promise<ModelOpening> {
  const { AppError } = await import("../lib/errors.ts")
  const { ModelOpening } = await import("../lib/inference/model-opening.ts")
  const opening = { model, profile: baseUrl === undefined ? "mini" : "openai", baseUrl, serviceUrl, dimensions }
  const parsed = ModelOpening.safeParse(JSON.parse(JSON.stringify(opening)))
  if (parsed.success && !(baseUrl && serviceUrl)) return parsed.data
  throw new AppError(
    "invalid_request",
    "--base-url or --service-url is one http(s) URL without a password, and --dimensions at most 4000",
  )
}
