import { basename } from "node:path"
import { AppError } from "../../errors.ts"
import { wording } from "../../field-problems.ts"
import { DocumentId } from "../../shapes.ts"
import type { AssembledTable } from "../assembled-document.ts"
import { listFiles, listTop, readText } from "./bundle-folder.ts"
import { BundleProblems, refused, tooLarge } from "./bundle-problem.ts"
import { BundleIndex, CHUNKS_MAX } from "./bundle-shapes.ts"
import { type BundleChunk, readChunk } from "./read-chunk.ts"
import { readTable } from "./read-table.ts"

/** The file that makes a folder a bundle. */
export const BUNDLE_INDEX = "_index.json"
const INDEX_BYTES_MAX = 1_000_000
/** One chunk: both texts at their longest take 200 kB in most languages. */
const CHUNK_BYTES_MAX = 256 * 1024
/** All chunks: they stand in memory together. */
const TEXT_BYTES_MAX = 64_000_000
/** All chunks' YAML, about 40 s of parsing. */
const TOKENS_MAX = 3_000_000
const TABLE_BYTES_MAX = 5_000_000
const TABLES_BYTES_MAX = 50_000_000
const TABLES_MAX = 500
const TOP = new Set([BUNDLE_INDEX, "chunks", "images", "tables"])

/** A bundle as it is read, but for its pictures, which are read one at a time when they are stored. */
export interface Bundle {
  readonly id: string
  readonly index: BundleIndex
  /** In reading order. */
  readonly chunks: readonly BundleChunk[]
  /** Names under `images/` by the chunk's id. */
  readonly images: ReadonlyMap<string, string>
  readonly tables: readonly AssembledTable[]
  /** What was passed over. */
  readonly warnings: readonly string[]
}

/**
 * `_index.json` of the bundle at `root`, and the id of its document: as it says, or the folder's name. Throws
 * `not_found` where there is none, `invalid_request` with every wrong field.
 */
export async function readBundleIndex(root: string): Promise<{ readonly id: string; readonly index: BundleIndex }> {
  const text = await readText(root, BUNDLE_INDEX, INDEX_BYTES_MAX)
  if (text === null) throw new AppError("not_found", `There is no ${BUNDLE_INDEX} in this folder`)
  const problems = new BundleProblems()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    problems.add(BUNDLE_INDEX, "must be valid JSON")
  }
  const index = BundleIndex.safeParse(json, { error: wording })
  if (!index.success && json !== undefined) problems.addIssues(BUNDLE_INDEX, index.error.issues)
  const id = DocumentId.safeParse(index.data?.id ?? basename(root).normalize("NFC"), { error: wording })
  if (!id.success) problems.addIssues(BUNDLE_INDEX, id.error.issues)
  problems.throwIfAny()
  return { id: id.data ?? "", index: index.data as BundleIndex }
}

/**
 * Reads and checks the bundle at `root`: docs/bundles.md. Throws `invalid_request` that names file and field of the
 * first 20 problems, `document_unreadable` for links and what is no text, `document_too_large`.
 */
export async function readBundle(root: string, signal?: AbortSignal): Promise<Bundle> {
  const { id, index } = await readBundleIndex(root)
  const warnings: string[] = []
  for (const name of await listTop(root))
    if (!TOP.has(name)) warnings.push(`${name}: is no part of a bundle; passed over`)
  const problems = new BundleProblems()
  const ids = await chunkIds(root, index, problems, warnings)
  problems.throwIfAny()
  const chunks = await readChunks(root, ids, index, problems, signal)
  const tables = await readTables(root, chunks, problems, warnings)
  problems.throwIfAny()
  const missing = chunks.filter((chunk) => chunk.missing !== null)
  if (missing.length > 0) {
    const tags = [...new Set(missing.map((chunk) => chunk.missing))].join(", ")
    warnings.push(`language: ${missing.length} chunks have no text in ${tags}; the first text of each stands for it`)
  }
  return { id, index, chunks, images: await findImages(root, ids, warnings), tables, warnings }
}

/** Ids of the chunks in reading order: as the index lists them, else by number. */
async function chunkIds(root: string, index: BundleIndex, problems: BundleProblems, warnings: string[]) {
  const held = new Set<string>()
  for (const name of await listFiles(root, "chunks")) {
    const id = /^(c\d{4}|c[1-9]\d{4,5})\.md$/.exec(name)?.[1]
    if (id) held.add(id)
    else warnings.push(`chunks/${name}: is not called like c0042.md; passed over`)
  }
  if (held.size > CHUNKS_MAX) throw tooLarge("chunks", `holds more than ${CHUNKS_MAX} chunks`)
  if (held.size === 0) throw refused("chunks", "holds no chunk (chunks/c0001.md)")
  const listed = index.chunks ?? [...held].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
  if (new Set(listed).size < listed.length) problems.add(BUNDLE_INDEX, "names a chunk twice", "chunks")
  for (const id of listed) if (!held.has(id)) problems.add(`chunks/${id}.md`, `is missing; ${BUNDLE_INDEX} names it`)
  const named = new Set(listed)
  for (const id of held)
    if (!named.has(id)) problems.add(`chunks/${id}.md`, `is not among the chunks of ${BUNDLE_INDEX}`)
  return listed
}

async function readChunks(
  root: string,
  ids: readonly string[],
  index: BundleIndex,
  problems: BundleProblems,
  signal: AbortSignal | undefined,
): Promise<BundleChunk[]> {
  const chunks: BundleChunk[] = []
  let bytes = 0
  let tokens = 0
  for (const id of ids) {
    signal?.throwIfAborted()
    const text = await readText(root, `chunks/${id}.md`, CHUNK_BYTES_MAX)
    if (text === null) throw refused(`chunks/${id}.md`, "went away while it was read")
    bytes += Buffer.byteLength(text)
    if (bytes > TEXT_BYTES_MAX) throw tooLarge("chunks", `are larger than ${TEXT_BYTES_MAX / 1_000_000} MB together`)
    const chunk = readChunk(id, text, index.language, problems)
    tokens += chunk?.tokens ?? 0
    if (tokens > TOKENS_MAX) throw tooLarge("chunks", `hold more than ${TOKENS_MAX} tokens of YAML`)
    if (chunk) chunks.push(chunk)
    const page = Math.max(0, ...(chunk?.chunk.regions ?? []).map((region) => region.page))
    if (index.pages !== undefined && page > index.pages) {
      problems.add(`chunks/${id}.md`, `must be at most ${index.pages}, as ${BUNDLE_INDEX} says`, "page")
    }
    if (problems.isFull) break
  }
  return chunks
}

async function readTables(
  root: string,
  chunks: readonly BundleChunk[],
  problems: BundleProblems,
  warnings: string[],
): Promise<AssembledTable[]> {
  const tables: AssembledTable[] = []
  let bytes = 0
  for (const name of await listFiles(root, "tables")) {
    const number = Number(/^TBL-(\d{3})\.csv$/.exec(name)?.[1] ?? 0)
    if (number === 0) {
      warnings.push(`tables/${name}: is not called like TBL-001.csv; passed over`)
      continue
    }
    if (tables.length === TABLES_MAX) throw tooLarge("tables", `holds more than ${TABLES_MAX} tables`)
    const text = (await readText(root, `tables/${name}`, TABLE_BYTES_MAX)) ?? ""
    bytes += Buffer.byteLength(text)
    if (bytes > TABLES_BYTES_MAX)
      throw tooLarge("tables", `are larger than ${TABLES_BYTES_MAX / 1_000_000} MB together`)
    try {
      tables.push({ number, rows: readTable(text), headerRows: 1, ...pagesOf(number, chunks) })
    } catch (error) {
      problems.addError(`tables/${name}`, error)
    }
  }
  const numbers = new Set(tables.map((table) => table.number))
  for (const { id, chunk } of chunks) {
    const table = chunk.metadata["table"]
    if (typeof table === "number" && !numbers.has(table))
      problems.add(`chunks/${id}.md`, "has no file in tables/", "table")
  }
  return tables
}

/** Pages that the table's chunks stand on. */
function pagesOf(number: number, chunks: readonly BundleChunk[]) {
  const parts = chunks.filter(({ chunk }) => chunk.metadata["table"] === number)
  const pages = parts.flatMap(({ chunk }) => chunk.regions.map((region) => region.page))
  if (pages.length === 0) return { firstPage: null, lastPage: null }
  return { firstPage: Math.min(...pages), lastPage: Math.max(...pages) }
}

async function findImages(root: string, ids: readonly string[], warnings: string[]): Promise<Map<string, string>> {
  const known = new Set(ids)
  const images = new Map<string, string>()
  for (const name of await listFiles(root, "images")) {
    const id = /^IMG-(c\d{4,6})\.png$/.exec(name)?.[1]
    if (id !== undefined && known.has(id)) images.set(id, name)
    else warnings.push(`images/${name}: is not called like IMG-c0042.png, after a chunk of the bundle; passed over`)
  }
  return images
}
