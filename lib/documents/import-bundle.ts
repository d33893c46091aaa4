import { createHash } from "node:crypto"
import type { Database, Transaction } from "../database/database.ts"
import type { Embedder } from "../inference/inference.ts"
import type { ObjectStore } from "../objects/object-store.ts"
import type { AssembledTable } from "./assembled-document.ts"
import { readBytes } from "./bundles/bundle-folder.ts"
import { refused, tooLarge } from "./bundles/bundle-problem.ts"
import { pngSize } from "./bundles/png-size.ts"
import { type Bundle, readBundle, readBundleIndex } from "./bundles/read-bundle.ts"
import { loadLanguageDetector } from "./detect-language.ts"
import { embedDocuments } from "./embed-documents.ts"
import type { IndexRequest } from "./index-request.ts"
import { type PreparedDocument, prepareDocument } from "./prepare-document.ts"
import { writeDocuments } from "./write-documents.ts"

const IMAGE_BYTES_MAX = 10_000_000
const IMAGES_BYTES_MAX = 1_000_000_000
const IMAGE_PIXELS_MAX = 40_000_000

/** Where the pictures of a bundle go. */
export interface BundleImages {
  readonly store: ObjectStore
  /** Key of a document's picture; `name` is `{sha256}.png`. */
  key(tenant: string, documentId: string, name: string): string
  /** What the keys of all of them begin with; ends with `/`. */
  prefix(tenant: string, documentId: string): string
}

/** What of a bundle isn't chunks. */
export interface BundlePages {
  readonly pageCount: number | null
  readonly tables: readonly AssembledTable[]
}

interface ImportDeps {
  readonly database: Database
  readonly embedder: Embedder | null
  /** Null: there is no object store, and pictures are left out with a warning. */
  readonly images: BundleImages | null
  /** Replaces the document's tables and pages, in the transaction that writes its chunks. */
  readonly writePages?: (transaction: Transaction, tenant: string, id: string, pages: BundlePages) => Promise<void>
}

export interface ImportOptions {
  /** Leaves a document that is there as it is. */
  readonly skipExisting?: boolean
  readonly signal?: AbortSignal
}

/** What became of a bundle. */
export interface ImportOutcome {
  readonly id: string
  readonly status: "imported" | "skipped"
  readonly chunks: number
  readonly images: number
  readonly tables: number
  readonly warnings: readonly string[]
}

/**
 * Imports the bundle at a folder: its document, with all chunks, tables and vectors, is replaced in one transaction or
 * not at all. Pictures are stored before, under a digest of what they show, so that a reader of the old version finds
 * its own. Throws what `readBundle` throws, `document_unreadable` for a picture that is no PNG, and what the model, the
 * store and the database throw; the signal's reason.
 */
export type ImportBundle = (tenant: string, root: string, options?: ImportOptions) => Promise<ImportOutcome>

export function createImportBundle(deps: ImportDeps): ImportBundle {
  const { database, embedder, writePages } = deps
  let detector: ReturnType<typeof loadLanguageDetector> | undefined

  return async (tenant, root, { skipExisting = false, signal = new AbortController().signal } = {}) => {
    const { id } = await readBundleIndex(root)
    if (skipExisting && (await isHere(database, tenant, id))) {
      return { id, status: "skipped", chunks: 0, images: 0, tables: 0, warnings: [] }
    }
    const bundle = await readBundle(root, signal)
    detector ??= loadLanguageDetector()
    const detectLanguage = await detector
    const images = await storeImages(deps.images, tenant, root, bundle, signal)
    const document = withBundle(prepareDocument(toRequest(bundle), embedder, detectLanguage), bundle, images)
    const [embedded] = await embedDocuments([document], embedder, signal)
    signal.throwIfAborted()
    const pages = { pageCount: bundle.index.pages ?? null, tables: bundle.tables }
    const [chunkIds = []] = await writeDocuments(database, tenant, embedded ? [embedded] : [], async (transaction) => {
      await writePages?.(transaction, tenant, id, pages)
    })
    if (deps.images) await dropStaleImages(deps.images, tenant, id, new Set(images.values()))
    const warnings = [...bundle.warnings, ...(embedded?.warnings ?? []), ...renumbered(bundle, chunkIds)]
    if (bundle.images.size > 0 && !deps.images) warnings.push("images: were left out; there is no object store")
    const counts = { chunks: bundle.chunks.length, images: images.size, tables: bundle.tables.length }
    return { id, status: "imported", ...counts, warnings }
  }
}

async function isHere(database: Database, tenant: string, id: string): Promise<boolean> {
  const text = "select 1 as here from documents where id = $1 and status = 'ready'"
  const [rows = []] = await database.batch({ tenant }, [{ text, values: [id] }])
  return rows.length > 0
}

function toRequest({ id, index, chunks }: Bundle): IndexRequest {
  return {
    id,
    title: index.title,
    ...(index.language !== undefined && { language: index.language }),
    ...(index.source_uri !== undefined && { source_uri: index.source_uri }),
    metadata: index.metadata,
    chunks: chunks.map(({ chunk }) => chunk),
    parents: [],
  }
}

/** What a request can't say: the chunks' ids and pictures, and how many pages there are. */
function withBundle(document: PreparedDocument, bundle: Bundle, images: ReadonlyMap<string, string>): PreparedDocument {
  const chunks = document.chunks.map((chunk, i) => {
    const givenId = bundle.chunks[i]?.id ?? ""
    const image = images.get(givenId)
    return { ...chunk, givenId, ...(image !== undefined && { image }) }
  })
  return { ...document, chunks, ...(bundle.index.pages !== undefined && { pageCount: bundle.index.pages }) }
}

/** Names of the pictures in the store, by chunk. */
async function storeImages(
  images: BundleImages | null,
  tenant: string,
  root: string,
  bundle: Bundle,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  let total = 0
  for (const [chunkId, file] of bundle.images) {
    signal.throwIfAborted()
    const path = `images/${file}`
    const bytes = await readBytes(root, path, IMAGE_BYTES_MAX)
    const size = bytes && pngSize(bytes)
    if (!bytes || !size) throw refused(path, "is no PNG")
    if (size.width < 1 || size.height < 1 || size.width * size.height > IMAGE_PIXELS_MAX) {
      throw tooLarge(path, `must have 1 to ${IMAGE_PIXELS_MAX / 1_000_000} million pixels`)
    }
    total += bytes.length
    if (total > IMAGES_BYTES_MAX) throw tooLarge("images", "are larger than 1 GB together")
    if (!images) continue
    const name = `${createHash("sha256").update(bytes).digest("hex")}.png`
    await images.store.put(images.key(tenant, bundle.id, name), bytes, "image/png")
    names.set(chunkId, name)
  }
  return names
}

/** The old version's pictures; one that is left over does no harm and goes with the next import. */
async function dropStaleImages({ store, key, prefix }: BundleImages, tenant: string, id: string, names: Set<string>) {
  const kept = new Set([...names].map((name) => key(tenant, id, name)))
  const stale: string[] = []
  for await (const object of store.list(prefix(tenant, id))) if (!kept.has(object.key)) stale.push(object.key)
  for (const each of stale) await store.delete(each)
}

const RENUMBERED_SHOWN = 5

/** Which chunks could not keep their ids: see `assignIds`. */
function renumbered({ chunks }: Bundle, ids: readonly string[]): string[] {
  const moved = chunks.flatMap(({ id }, i) => (ids[i] !== undefined && ids[i] !== id ? [`${id} is ${ids[i]}`] : []))
  if (moved.length === 0) return []
  const shown = moved.slice(0, RENUMBERED_SHOWN).join(", ")
  const more = moved.length > RENUMBERED_SHOWN ? ` and ${moved.length - RENUMBERED_SHOWN} more` : ""
  return [`ids: an id that once was another text's is not given again: ${shown}${more}`]
}
