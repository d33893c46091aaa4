import type { Dirent } from "node:fs"
import { open, readdir, realpath, stat } from "node:fs/promises"
import { basename, extname, join } from "node:path"
import { AppError } from "../errors.ts"
import { fieldProblems, wording } from "../field-problems.ts"
import { LanguageTag } from "../shapes.ts"
import { BUNDLE_INDEX } from "./bundles/read-bundle.ts"
import { readFrontMatter } from "./front-matter.ts"
import { CONTENT_CHARS_MAX, IndexRequest } from "./index-request.ts"

/** Largest file that is read, in bytes: what the longest content takes when each of its characters takes three. */
const FILE_BYTES_MAX = 3 * CONTENT_CHARS_MAX
const EXTENSIONS = new Set([".md", ".markdown", ".txt"])

/** A file to read: `path` on this machine, `name` under the folder, `id` of the document it becomes. */
export interface TextFile {
  readonly path: string
  readonly name: string
  readonly id: string
}

/** Why a regular file of this name is none of those wanted; null where it is. */
export type RefuseName = (name: string) => string | null

/** Hears of each file that is left out: its path under the folder, and why, in words for the operator. */
export type OnSkip = (path: string, reason: string) => void

/**
 * The text and Markdown files under `root` (or `root` itself), in order of path. An id is the path under the folder
 * without its extension, slashes forward, in NFC whatever the file system keeps; where `a.md` and `a.txt` stand side
 * by side, the later keeps its extension. Hidden entries, symbolic links (they could lead out of the folder, or round
 * in it), bundles and other types are skipped. Throws `not_found` when there is nothing at `root`.
 */
export async function listFolder(
  root: string,
  onSkip: OnSkip = () => {},
  refuse: RefuseName = refuseOther,
): Promise<TextFile[]> {
  const real = await realpath(root).catch((cause: unknown) => {
    throw new AppError("not_found", `There is no file or folder at ${root}`, { cause })
  })
  const facts = await stat(real)
  if (!facts.isDirectory()) {
    const name = basename(root)
    const reason = whyNotWanted(name, facts.isFile(), refuse)
    if (reason === null) return [{ path: real, name, id: withoutExtension(name).normalize("NFC") }]
    onSkip(name, reason)
    return []
  }
  const ids = new Set<string>()
  const files: TextFile[] = []
  for await (const name of walk(real, "", onSkip, refuse)) {
    const short = withoutExtension(name).normalize("NFC")
    const id = ids.has(short) ? name.normalize("NFC") : short
    ids.add(id)
    files.push({ path: join(real, name), name, id })
  }
  return files
}

async function* walk(root: string, under: string, onSkip: OnSkip, refuse: RefuseName): AsyncGenerator<string> {
  const entries = await readdir(join(root, under), { withFileTypes: true })
  if (entries.some((entry) => entry.name === BUNDLE_INDEX))
    return onSkip(under, "a bundle: `concordance import` takes it")
  // Code-unit order, so that every machine gives the same ids to files of one name.
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = under === "" ? entry.name : `${under}/${entry.name}`
    const reason = whySkip(entry, refuse)
    if (reason) onSkip(path, reason)
    else if (entry.isDirectory()) yield* walk(root, path, onSkip, refuse)
    else yield path
  }
}

function whySkip(entry: Dirent, refuse: RefuseName): string | null {
  if (entry.name.startsWith(".")) return "hidden"
  if (entry.isSymbolicLink()) return "a symbolic link"
  if (entry.isDirectory()) return entry.name === "node_modules" ? "installed packages" : null
  return whyNotWanted(entry.name, entry.isFile(), refuse)
}

/** A pipe or a device may never end, whatever it is called. */
function whyNotWanted(name: string, isFile: boolean, refuse: RefuseName): string | null {
  return refuse(name) ?? (isFile ? null : "not a regular file")
}

const refuseOther: RefuseName = (name) => (isText(name) ? null : "neither text nor Markdown (.md, .markdown, .txt)")

const isText = (name: string): boolean => EXTENSIONS.has(extname(name).toLowerCase())

const withoutExtension = (path: string): string => path.slice(0, path.length - extname(path).length)

/**
 * Reads one file as what `POST /index` takes. The title is that of the front matter, or a first line `# Title` (which
 * then leaves the content: titles count by themselves), or the file's name. `title`, `language` and `source_uri` of
 * the front matter are the request's, its other fields metadata; with `index: false` the file is not a document.
 * Returns the reason, as a string, when the file can't be indexed.
 */
export async function readTextFile(file: TextFile): Promise<IndexRequest | string> {
  const text = await readText(file.path)
  if ("reason" in text) return text.reason
  const { fields, body } = readFrontMatter(text.content)
  const { title: givenTitle, language, source_uri: sourceUri, index, ...metadata } = fields
  if (index === false) return "its front matter says index: false"
  const { title, content } = splitTitle(body)
  const input = {
    id: file.id,
    title: isName(givenTitle) ? String(givenTitle) : (title ?? titleFromId(file.id)),
    content,
    ...(LanguageTag.safeParse(language).success && { language }),
    ...(typeof sourceUri === "string" && { source_uri: sourceUri }),
    metadata,
  }
  const request = IndexRequest.safeParse(input, { error: wording })
  if (request.success) return request.data
  if (content.trim() === "") return "empty"
  return fieldProblems(request.error.issues)
    .map(({ field, message }) => `${field}: ${message}`)
    .join("; ")
}

// `title: 1984` is a title too.
const isName = (value: unknown): boolean => typeof value === "string" || typeof value === "number"

async function readText(path: string): Promise<{ content: string } | { reason: string }> {
  const file = await open(path, "r").catch(() => null)
  if (!file) return { reason: "it can't be read" }
  try {
    const { size } = await file.stat()
    if (size > FILE_BYTES_MAX) return { reason: `larger than ${FILE_BYTES_MAX / 1_000_000} MB` }
    return { content: new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile()) }
  } catch (error) {
    return { reason: error instanceof TypeError ? "not UTF-8 text" : "it can't be read" }
  } finally {
    await file.close()
  }
}

function splitTitle(body: string): { title?: string; content: string } {
  const heading = /^\s*#[ \t]+(.+?)[ \t]*#*[ \t]*(?:\r?\n|$)/.exec(body)
  const title = heading?.[1]
  if (!heading || !title) return { content: body }
  const rest = body.slice(heading[0].length).trimStart()
  // A file that is a title alone is still found by it.
  return { title, content: rest === "" ? title : rest }
}

const titleFromId = (id: string): string => withoutTextExtension(basename(id)).replace(/[-_]+/g, " ").trim()

const withoutTextExtension = (name: string): string => (isText(name) ? withoutExtension(name) : name)

/** Every document under `root`, one file in memory at a time; see `listFolder` and `readTextFile`. */
export async function* readFolder(root: string, onSkip: OnSkip = () => {}): AsyncGenerator<IndexRequest> {
  for (const file of await listFolder(root, onSkip)) {
    const read = await readTextFile(file)
    if (typeof read === "string") onSkip(file.name, read)
    else yield read
  }
}
