import type { Database, Transaction } from "../../database/database.ts"
import { loadLanguageDetector } from "../../detect-language.ts"
import { type ModelDeps, withWriteModel } from "../../inference/tenant-models.ts"
import type { ObjectStore } from "../../objects/object-store.ts"
import { type EmbeddedDocument, embedDocuments } from "../embed-documents.ts"
import { replaceDocuments } from "../write-documents.ts"
import { writeTables } from "../write-tables.ts"
import { bundleDocument, renumbered, writeGivenPages } from "./bundle-document.ts"
import { claimImages, storeImages } from "./bundle-images.ts"
import { type Bundle, readBundle, readBundleIndex } from "./read-bundle.ts"

/** `embedder` null: its chunks are found by words alone. */
interface ImportDeps extends ModelDeps {
  readonly database: Database
  readonly objects: ObjectStore
  /** Removes objects that the document's earlier versions left. */
  cleanUp(tenant: string, documentId: string): Promise<void>
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
 * Imports the bundle at a folder: its document, with all chunks, pages, tables and vectors, is replaced in one
 * transaction or not at all. Pictures are stored before, under a digest of what they show, so that a reader of the old
 * version finds its own. Throws what `readBundle` throws, `document_unreadable` for a picture that is no PNG, `conflict`
 * when the document was deleted meanwhile, and what the model, the store and the database throw; the signal's reason.
 */
export type ImportBundle = (tenant: string, root: string, options?: ImportOptions) => Promise<ImportOutcome>

export function createImportBundle(deps: ImportDeps): ImportBundle {
  const { database, meter, cleanUp } = deps
  return async (tenant, root, { skipExisting = false, signal = new AbortController().signal } = {}) => {
    const { id } = await readBundleIndex(root)
    if (skipExisting && (await isHere(database, tenant, id))) {
      return { id, status: "skipped", chunks: 0, images: 0, tables: 0, warnings: [] }
    }
    const bundle = await readBundle(root, signal)
    const detectLanguage = await loadLanguageDetector()
    const images = await storeImages(deps, tenant, root, bundle, signal)
    const { embedded, chunkIds } = await withWriteModel(deps, tenant, async (embedder) => {
      const document = bundleDocument(bundle, images, embedder, detectLanguage)
      const embedded = await embedDocuments([document], embedder, signal)
      signal.throwIfAborted()
      const chunkIds = await database.transaction({ tenant }, async (transaction) => {
        await claimImages(transaction, id, images.values())
        return writeBundle(transaction, tenant, bundle, embedded)
      })
      return { embedded, chunkIds }
    })
    await meter?.count?.(tenant, { documents: 1, passages: bundle.chunks.length })
    await cleanUp(tenant, id)
    const warnings = [...embedded.flatMap((each) => each.warnings), ...renumbered(bundle, chunkIds)]
    const counts = { chunks: bundle.chunks.length, images: images.size, tables: bundle.tables.length }
    return { id, status: "imported", ...counts, warnings }
  }
}

async function isHere(database: Database, tenant: string, id: string): Promise<boolean> {
  const text = "select 1 as here from documents where id = $1 and status = 'ready'"
  const [rows = []] = await database.batch({ tenant }, [{ text, values: [id] }])
  return rows.length > 0
}

/** Puts the bundle in the place of its document. Returns the ids of its chunks. */
async function writeBundle(
  transaction: Transaction,
  tenant: string,
  bundle: Bundle,
  embedded: readonly EmbeddedDocument[],
): Promise<readonly string[]> {
  const [chunkIds = []] = await replaceDocuments(transaction, tenant, embedded)
  await writeGivenPages(transaction, tenant, bundle)
  await writeTables(transaction, tenant, bundle.id, bundle.tables)
  return chunkIds
}
