import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type StartedChroma, startChroma } from "../../lib/indexes/chroma/start-chroma.ts"

const CLI = fileURLToPath(new URL("chroma-cli.cjs", import.meta.url))

/** Whether Chroma's server was put here, by `npm run chroma:install`. */
export const hasChroma = existsSync(
  new URL("../../.chroma/node_modules/chromadb-js-bindings-linux-x64-gnu/", import.meta.url),
)

/** A Chroma server of its own, on an empty folder that goes with it. */
export async function startTestChroma(): Promise<StartedChroma> {
  const folder = await mkdtemp(join(tmpdir(), "chroma-"))
  const { url, stop } = await startChroma(folder, [process.execPath, CLI])
  return {
    url,
    async stop() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
