import { rm } from "node:fs/promises"
import { isDeepStrictEqual } from "node:util"
import { ingestWithKills, makeFolder } from "../tests/kill-ingest.ts"

interface KillOptions {
  readonly kills: number
  readonly seed: number
}

/**
 * Ingests a folder of twelve files twice: once in peace, once killed so many times at random moments and started again.
 * Returns whether the same rows and objects are there at the end, by what is compared.
 */
export async function ingestKills({ kills, seed }: KillOptions): Promise<Record<string, boolean>> {
  const root = await makeFolder(12, 12)
  try {
    const undisturbed = await ingestWithKills(root, "undisturbed", 0, 0)
    const killed = await ingestWithKills(root, "killed", kills, seed)
    const same = Object.entries(undisturbed.tables).map(([name, rows]) => {
      return [name, isDeepStrictEqual(rows, killed.tables[name])]
    })
    return { ...Object.fromEntries(same), objects: isDeepStrictEqual(undisturbed.objects, killed.objects) }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
