import { formatEnrichmentCosts, measureEnrichment } from "../bench/enrichment.ts"
import { describeMachine } from "../bench/machine.ts"
import type { Terminal } from "./terminal.ts"

export interface EnrichmentOptions {
  readonly json?: true
}

/** `bench enrichment`: what a language model would be asked about files, without asking one. */
export async function benchEnrichment(
  paths: readonly string[],
  { json }: EnrichmentOptions,
  terminal: Terminal,
): Promise<void> {
  const costs = await measureEnrichment(paths)
  terminal.line(json ? JSON.stringify({ machine: describeMachine(), costs }, null, 2) : formatEnrichmentCosts(costs))
}
