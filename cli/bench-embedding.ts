import { join } from "node:path"
import { formatEmbeddingFigures, measureEmbedding } from "../bench/embedding.ts"
import { describeMachine } from "../bench/machine.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import type { Terminal } from "./terminal.ts"

export interface EmbeddingOptions {
  readonly threads: number
  readonly json?: true
}

/** `bench embedding`: the embedded model's own batching beside the usual pipeline. */
export async function benchEmbedding({ threads, json }: EmbeddingOptions, terminal: Terminal): Promise<void> {
  const { concordanceHome } = configFromEnvironment()
  const figures = await measureEmbedding({ modelsFolder: join(concordanceHome, "models"), threads })
  if (!json) {
    terminal.line(formatEmbeddingFigures(figures))
    return
  }
  const command = `concordance bench embedding --threads ${threads} --json`
  terminal.line(JSON.stringify({ machine: describeMachine(), command, ...figures }, null, 2))
}
