import type { TenantOptions } from "./spaces.ts"
import type { Terminal } from "./terminal.ts"

interface ActivateOptions extends TenantOptions {
  readonly allowMissing?: true
}

/** `spaces activate`. */
export async function activateSpaces(model: string, options: ActivateOptions, terminal: Terminal): Promise<void> {
  const { activateSpace } = await import("../lib/documents/spaces/activate-space.ts")
  const { spacesOf, withSwap } = await import("./swap-models.ts")
  await withSwap(async (swap) => {
    for (const { tenant, space } of await spacesOf(swap, model, options)) {
      const embedder = await swap.open(space.opening)
      const missing = await activateSpace({ ...swap, embedder }, tenant, options.allowMissing ?? false)
      const rest = missing > 0 ? `; ${missing} chunks are found by words alone until the backfill is done` : ""
      terminal.line(`${tenant}  ${model}  active${rest}`)
    }
    terminal.note("Running servers follow within 30 seconds. Set EMBEDDING_MODEL to it for tenants to come.")
  })
}
