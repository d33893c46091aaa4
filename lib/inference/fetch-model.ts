import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { copyFile, mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Readable, Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { AppError } from "../errors.ts"
import { publishFolder } from "./convert/publish-folder.ts"
import type { PinnedFile, PinnedModel } from "./pinned-models.ts"

interface FetchOptions {
  /** In place of huggingface.co, without a slash at its end. */
  readonly hubUrl?: string
  /** Wait before the second attempt at a file, doubled for the third; 2 s when not given. */
  readonly backoffMs?: number
}

/** Written last: a folder whose manifest names the revision held files whose sums were right. */
const MANIFEST = "pinned.json"
const ATTEMPTS_MAX = 3
/** Nothing comes for so long: the connection is dead, ms. */
const SILENCE_MS = 60_000

/** The hub answered, but with other bytes than the pinned ones: asking again would not help. */
class WrongBytes extends Error {}

/**
 * The folder `<modelsFolder>/<owner>/<name>` with every file of the model, each of which has the SHA-256 it is pinned to.
 * A folder that is whole is left as it is, and only its sizes are looked at. Else what fits of it is kept and the rest
 * is fetched from the hub, at the pinned revision; the folder is replaced in one step.
 *
 * @throws AppError `inference_unavailable` when the hub can't be reached, or sends other bytes; nothing is kept then
 */
export async function fetchModel(
  model: PinnedModel,
  modelsFolder: string,
  options: FetchOptions = {},
): Promise<string> {
  const folder = join(modelsFolder, model.repository)
  const isCurrent = (candidate: string) => isWhole(model, candidate)
  if (await isCurrent(folder)) return folder
  try {
    await publishFolder(folder, (target) => fill(model, { from: folder, target }, options), isCurrent)
    return folder
  } catch (error) {
    throw new AppError("inference_unavailable", explanation(model, folder, error), { cause: error })
  }
}

function explanation({ repository, revision }: PinnedModel, folder: string, error: unknown): string {
  const what = `${repository} at ${revision.slice(0, 12)}`
  if (error instanceof WrongBytes) {
    return `The model ${what} was refused: ${error.message}. Nothing of it was kept. If a proxy changes downloads, go around it.`
  }
  return (
    `The model ${what} could not be fetched into ${folder}. Check the network and the disk (1.2 GB for both models of ` +
    "m3), or copy the folder from a machine that has it; EMBEDDING_MODEL and RERANK_MODEL can name folders of your own."
  )
}

async function isWhole({ revision, files }: PinnedModel, folder: string): Promise<boolean> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, MANIFEST), "utf8")) as { revision: unknown }
    if (manifest.revision !== revision) return false
    const found = await Promise.all(files.map(({ path }) => stat(join(folder, path))))
    return files.every(({ bytes }, i) => found[i]?.size === bytes)
  } catch {
    // Not there, or not readable as what it should be: both are mended by fetching it.
    return false
  }
}

interface Places {
  /** Where an older, or half a folder may be. */
  readonly from: string
  readonly target: string
}

async function fill(model: PinnedModel, { from, target }: Places, options: FetchOptions): Promise<void> {
  for (const file of model.files) {
    const place = join(target, file.path)
    await mkdir(dirname(place), { recursive: true })
    if (await fits(join(from, file.path), file)) await copyFile(join(from, file.path), place)
    else await fetchFile(model, file, place, options)
  }
  await writeFile(join(target, MANIFEST), JSON.stringify(model, null, 2))
}

async function fits(path: string, { bytes, sha256 }: PinnedFile): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found?.size !== bytes) return false
  const hash = createHash("sha256")
  for await (const part of createReadStream(path)) hash.update(part as Buffer)
  return hash.digest("hex") === sha256
}

async function fetchFile(model: PinnedModel, file: PinnedFile, place: string, options: FetchOptions): Promise<void> {
  const { hubUrl = "https://huggingface.co", backoffMs = 2_000 } = options
  const url = `${hubUrl}/${model.repository}/resolve/${model.revision}/${file.path}`
  for (let attempt = 1; ; attempt++) {
    try {
      await download(url, file, place)
      return
    } catch (error) {
      if (error instanceof WrongBytes || attempt === ATTEMPTS_MAX) throw error
      await sleep(backoffMs * 2 ** (attempt - 1))
    }
  }
}

async function download(url: string, file: PinnedFile, place: string): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error(`nothing came for ${SILENCE_MS} ms`)), SILENCE_MS)
  try {
    const response = await fetch(url, { signal: silence.signal })
    if (!response.ok || !response.body) {
      await response.body?.cancel()
      throw new Error(`${url} answered with status ${response.status}`)
    }
    const hash = createHash("sha256")
    let bytes = 0
    const measured = new Transform({
      transform(part: Buffer, _, done) {
        timer.refresh()
        bytes += part.length
        hash.update(part)
        done(bytes > file.bytes ? new WrongBytes(`${file.path} is longer than ${file.bytes} bytes`) : null, part)
      },
    })
    await pipeline(Readable.fromWeb(response.body), measured, createWriteStream(place), { signal: silence.signal })
    if (bytes < file.bytes) throw new Error(`${file.path} ended after ${bytes} of ${file.bytes} bytes`)
    const sum = hash.digest("hex")
    if (sum !== file.sha256) throw new WrongBytes(`${file.path} has the SHA-256 ${sum}, not ${file.sha256}`)
  } finally {
    clearTimeout(timer)
  }
}
