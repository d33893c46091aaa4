import { ingestKills } from "../bench/ingest-kills.ts"
import { CommandFailed } from "./exit.ts"
import type { Terminal } from "./terminal.ts"

export interface IngestKillsOptions {
  readonly kills: number
  readonly seed: number
}

/** `bench ingest-kills`: a folder's ingestion, killed again and again, against one in peace. */
export async function benchIngestKills({ kills, seed }: IngestKillsOptions, terminal: Terminal): Promise<void> {
  const same = await ingestKills({ kills, seed })
  for (const [name, isSame] of Object.entries(same)) terminal.line(`${name}: ${isSame ? "the same" : "DIFFERENT"}`)
  if (Object.values(same).includes(false)) throw new CommandFailed()
}
