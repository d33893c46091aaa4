import { createHash } from "node:crypto"
import type { Database, Transaction } from "../../database/database.ts"
import { AppError } from "../../errors.ts"
import { chunkImageKey } from "../../objects/object-key.ts"
import type { ObjectStore } from "../../objects/object-store.ts"
import { readBytes } from "./bundle-folder.ts"
import { refused, tooLarge } from "./bundle-problem.ts"
import { pngSize } from "./png-size.ts"
import type { Bundle } from "./read-bundle.ts"

const IMAGE_BYTES_MAX = 10_000_000
const IMAGES_BYTES_MAX = 1_000_000_000
const IMAGE_PIXELS_MAX = 40_000_000
/** How long stored pictures wait for their chunks, ms: those of the largest bundle take a slow model hours. */
const WAIT_MS = 86_400_000

const EXPECT = `
  insert into uploads (source_account_id, key, document_id, expires_at)
  values ($1, $2, $3, now() + ${WAIT_MS} * interval '1 ms')
  on conflict (source_account_id, key) do update set expires_at = greatest(uploads.expires_at, excluded.expires_at)`

// What neither an import nor a chunk holds may have been removed.
const HELD = `
  select key from uploads where key = any($1::text[]) and expires_at > now()
  union
  select image_key from chunks where document_id = $2 and image_key is not null and image_key = any($1::text[])`

interface ImageParts {
  readonly database: Database
  readonly objects: ObjectStore
}

/**
 * Stores the pictures of a bundle before its chunks are there; a row of `uploads` keeps each until then. Their keys by
 * the chunk's id. Throws `document_unreadable` for what is no PNG, `document_too_large`, and the signal's reason.
 */
export async function storeImages(
  { database, objects }: ImageParts,
  tenant: string,
  root: string,
  bundle: Bundle,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  let total = 0
  for (const [chunkId, file] of bundle.images) {
    signal.throwIfAborted()
    const bytes = await readPng(root, `images/${file}`)
    total += bytes.length
    if (total > IMAGES_BYTES_MAX) throw tooLarge("images", "are larger than 1 GB together")
    const key = chunkImageKey(tenant, bundle.id, createHash("sha256").update(bytes).digest("hex"))
    await database.batch({ tenant }, [{ text: EXPECT, values: [tenant, key, bundle.id] }])
    await objects.put(key, bytes, "image/png")
    keys.set(chunkId, key)
  }
  return keys
}

async function readPng(root: string, path: string): Promise<Buffer> {
  const bytes = await readBytes(root, path, IMAGE_BYTES_MAX)
  const size = bytes && pngSize(bytes)
  if (!bytes || !size) throw refused(path, "is no PNG")
  if (size.width < 1 || size.height < 1 || size.width * size.height > IMAGE_PIXELS_MAX) {
    throw tooLarge(path, `must have 1 to ${IMAGE_PIXELS_MAX / 1_000_000} million pixels`)
  }
  return bytes
}

/**
 * Hands stored pictures over to the chunks that the same transaction writes next. Throws `conflict` where they may have
 * been removed, because the document was deleted meanwhile.
 */
export async function claimImages(transaction: Transaction, documentId: string, keys: Iterable<string>): Promise<void> {
  const wanted = [...new Set(keys)]
  if (wanted.length === 0) return
  const held = await transaction.query(HELD, [wanted, documentId])
  if (held.length < wanted.length) {
    throw new AppError("conflict", "The document was deleted while it was imported. Import it again")
  }
  await transaction.query("delete from uploads where key = any($1::text[])", [wanted])
}
