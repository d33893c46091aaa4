import { spawn } from "node:child_process"
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseCitation } from "../../lib/citation.ts"
import { pictureFileName } from "../picture-file-name.ts"
import type { Crop } from "./tools.ts"

/** Shows a file in a program of its own; whether one took it. */
export type OpenFile = (path: string) => Promise<boolean>

const FORMATS: Readonly<Record<string, string>> = { "image/png": "png", "image/jpeg": "jpeg", "image/webp": "webp" }
/** A viewer that still runs then has opened it. */
const OPENED_MS = 1_500

/** Writes a picture to a folder that only its owner reads, and opens it. Gives its path, and whether something took it. */
export async function showCrop(
  { bytes, mimeType }: Crop,
  citation: string,
  openFile: OpenFile,
): Promise<{ readonly path: string; readonly opened: boolean }> {
  const folder = await mkdtemp(join(tmpdir(), "concordance-"))
  const cited = parseCitation(citation) ?? { documentId: "passage", chunkId: "" }
  const path = join(folder, pictureFileName(cited, FORMATS[mimeType] ?? "png"))
  await writeFile(path, bytes, { mode: 0o600 })
  return { path, opened: await openFile(path) }
}

/** By the desktop's own choice of a program. */
export const openOnDesktop: OpenFile = (path) =>
  new Promise((resolve) => {
    const child = spawn(process.platform === "darwin" ? "open" : "xdg-open", [path], {
      stdio: "ignore",
      detached: true,
    })
    const taken = setTimeout(resolve, OPENED_MS, true)
    child.once("error", () => resolve(false))
    child.once("exit", (status) => {
      clearTimeout(taken)
      resolve(status === 0)
    })
    child.unref()
  })
