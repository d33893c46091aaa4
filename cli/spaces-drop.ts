import type { TenantOptions } from "./spaces.ts"
import type { Terminal } from "./terminal.ts"

interface DropOptions extends TenantOptions {
  readonly brought?: true
  readonly now?: true
}

/** `spaces drop`. */
export async function dropSpaces(model: string, options: DropOptions, terminal: Terminal): Promise<void> {
  const { dropSpace } = await import("../lib/documents/spaces/drop-space.ts")
  const { spacesOf, withSwap } = await import("./swap-models.ts")
  await withSwap(async (swap) => {
    const standard = (await swap.standard())?.model ?? null
    const tenants = options.all ? (await spacesOf(swap, model, options)).map(({ tenant }) => tenant) : [options.tenant]
    for (const tenant of tenants) {
      const status = terminal.status()
      const onProgress = (deleted: number): void => status.show(`${tenant}  ${deleted} deleted`)
      const { brought = false, now = false } = options
      const deleted = await dropSpace(swap.owner, tenant, model, { standard, brought, now, onProgress }).finally(() =>
        status.end(),
      )
      terminal.line(`${tenant}  ${model}  ${deleted} vectors dropped`)
    }
  })
}
