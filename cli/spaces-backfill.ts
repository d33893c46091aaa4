import { constants, setPriority } from "node:os"
import type { TenantOptions } from "./spaces.ts"
import type { Swap } from "./swap-models.ts"
import type { Terminal } from "./terminal.ts"

interface BackfillOptions extends TenantOptions {
  readonly concurrency: number
}

/** `spaces backfill`. */
export async function backfillSpaces(model: string, options: BackfillOptions, terminal: Terminal): Promise<void> {
  const { spacesOf, withSwap } = await import("./swap-models.ts")
  // Searches come first where they share a machine with this. Not at the lowest: at a load of 12 on 2 cores that got nothing done in 2 minutes.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  await withSwap(async (swap) => {
    for (const { tenant, space } of await spacesOf(swap, model, options)) {
      await fill(swap, tenant, space, options.concurrency, terminal)
    }
  })
}

type FilledSpace = Awaited<ReturnType<typeof import("./swap-models.ts").spacesOf>>[number]["space"]

async function fill(
  swap: Swap,
  tenant: string,
  space: FilledSpace,
  concurrency: number,
  terminal: Terminal,
): Promise<void> {
  const { backfillSpace } = await import("../lib/documents/spaces/backfill-space.ts")
  const { countMissing } = await import("../lib/documents/spaces/named-space.ts")
  const missing = () => swap.owner.session((session) => countMissing(session, tenant, space.id))
  const embedder = await swap.open(space.opening)
  const total = await missing()
  const began = performance.now()
  const status = terminal.status()
  const onProgress = (written: number): void => status.show(progressText(tenant, written, total, seconds(began)))
  onProgress(0)
  const written = await backfillSpace({ database: swap.database, embedder }, tenant, space.id, {
    ...{ concurrency, onProgress, signal: terminal.signal },
  }).finally(() => status.end())
  const left = await missing()
  const rest = left === 0 ? "nothing is missing" : `${left} changed meanwhile and are missing: run it again`
  terminal.line(`${tenant}  ${space.model}  ${written} vectors in ${seconds(began).toFixed(1)} s; ${rest}`)
  await indexLarge(swap, tenant, space, terminal)
}

async function indexLarge({ owner }: Swap, tenant: string, space: FilledSpace, terminal: Terminal): Promise<void> {
  const { indexLargeSpace } = await import("../lib/documents/spaces/index-large-space.ts")
  const began = performance.now()
  if (!(await indexLargeSpace(owner, tenant, space.model))) return
  terminal.line(`${tenant}  ${space.model}  indexed in ${seconds(began).toFixed(1)} s`)
}

const seconds = (began: number): number => (performance.now() - began) / 1_000

function progressText(tenant: string, written: number, total: number, seconds: number): string {
  const rate = written / Math.max(seconds, 0.001)
  const left = written === 0 ? "" : `  ${rate.toFixed(1)} a second  ${timeLeft((total - written) / rate)} left`
  return `${tenant}  ${written}/${total}${left}`
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.ceil(seconds))} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
