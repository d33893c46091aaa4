import { createHash } from "node:crypto"
import { AppError } from "../errors.ts"

/**
 * Longest segment of a key, ASCII characters. A file name may have 255 bytes on every common file system, and a key of
 * four segments stays under the 1,024 bytes of S3.
 */
export const SEGMENT_CHARS_MAX = 200
/** Of an id too long for that: what stays readable before its digest. */
const READABLE_CHARS = 100
/** Names that Windows keeps for devices, whatever their extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/
const DIGESTED = /^[a-z0-9._-]*__[0-9a-f]{64}$/
const SEGMENT = /^[a-z0-9_-](?:[a-z0-9._-]*[a-z0-9_-])?$/

/** Whose upload a key names. Null: the id was too long to stand in the key, and only the document's row knows it. */
export interface UploadAddress {
  readonly tenantId: string | null
  readonly documentId: string | null
  readonly fileName: string | null
}

/** Key of an uploaded file: `uploads/{tenant}/{document}/{file}`. */
export function uploadKey(tenantId: string, documentId: string, fileName: string): string {
  return uploadsPrefix(tenantId, documentId) + encodeSegment(fileName)
}

/** What all uploads of a document start with, the `/` at its end included. */
export function uploadsPrefix(tenantId: string, documentId: string): string {
  return `uploads/${encodeSegment(tenantId)}/${encodeSegment(documentId)}/`
}

/**
 * Whose upload a key is, read back from the key. Null for any key that `uploadKey` does not make: one that somebody
 * else put into the bucket.
 */
export function parseUploadKey(key: string): UploadAddress | null {
  const [kind, ...segments] = key.split("/")
  const [tenant, document, file, ...rest] = segments.map(decodeSegment)
  if (kind !== "uploads" || rest.length > 0 || !tenant || !document || !file) return null
  return { tenantId: tenant.id, documentId: document.id, fileName: file.id }
}

/** Whose folder of uploads a key is in, whatever stands behind that; null where it is nobody's, or the key doesn't tell. */
export function uploaderOf(key: string): string | null {
  const [kind, tenant, ...rest] = key.split("/")
  return kind === "uploads" && tenant && rest.length > 0 ? (decodeSegment(tenant)?.id ?? null) : null
}

interface PageImageAddress {
  readonly tenantId: string
  readonly documentId: string
  /** Of the document: each version's pictures have keys of their own, so that what stands under a key never changes. */
  readonly generation: number
  /** From 1. */
  readonly page: number
  readonly mimeType: "image/png" | "image/webp"
}

/** Key of a page's picture: `pages/{tenant}/{document}/{generation}/p0007.png`. */
export function pageImageKey({ tenantId, documentId, generation, page, mimeType }: PageImageAddress): string {
  const extension = mimeType === "image/png" ? "png" : "webp"
  return `${pagesPrefix(tenantId, documentId, generation)}p${String(page).padStart(4, "0")}.${extension}`
}

/** What the page pictures of a document, or of one generation of it, start with; ends with `/`. */
export function pagesPrefix(tenantId: string, documentId: string, generation?: number): string {
  const document = `pages/${encodeSegment(tenantId)}/${encodeSegment(documentId)}/`
  return generation === undefined ? document : `${document}${generation}/`
}

/**
 * Key of a chunk's own picture, which is named by its bytes: `images/{tenant}/{document}/{sha256}.png`. What stands under
 * a key never changes, and a version of the document that shows the same picture shows the same object.
 */
export function chunkImageKey(tenantId: string, documentId: string, sha256: string): string {
  return `${chunkImagesPrefix(tenantId, documentId)}${encodeSegment(`${sha256}.png`)}`
}

/** What the pictures of a document's chunks start with; ends with `/`. */
export function chunkImagesPrefix(tenantId: string, documentId: string): string {
  return `images/${encodeSegment(tenantId)}/${encodeSegment(documentId)}/`
}

/** Prefixes that together hold all objects of a document and none of another's. */
export function documentPrefixes(tenantId: string, documentId: string): readonly string[] {
  return [uploadsPrefix, pagesPrefix, chunkImagesPrefix].map((prefixOf) => prefixOf(tenantId, documentId))
}

/** Prefixes that together hold all objects of a tenant and none of another's. */
export function tenantPrefixes(tenantId: string): readonly string[] {
  return ["uploads", "pages", "images"].map((kind) => `${kind}/${encodeSegment(tenantId)}/`)
}

/**
 * A key as a store takes it: made of segments that are file names everywhere. A store checks it again, so that no
 * caller's text ever becomes a path.
 *
 * @throws AppError `internal` for any other
 */
export function requireObjectKey(key: string): readonly string[] {
  const segments = key.split("/")
  if (segments.every(isSegment)) return segments
  throw new AppError("internal", "An object key was not made by lib/objects/object-key.ts")
}

/**
 * The segments of a prefix. It ends with `/`, because `pages/a/b` is the start of `pages/a/bc/` too.
 *
 * @throws AppError `internal` for any other
 */
export function requireObjectPrefix(prefix: string): readonly string[] {
  if (prefix.endsWith("/")) return requireObjectKey(prefix.slice(0, -1))
  throw new AppError("internal", "A prefix of object keys must end with a slash")
}

/** Whether a name can be a segment of a key. */
export function isSegment(name: string): boolean {
  return name.length <= SEGMENT_CHARS_MAX && SEGMENT.test(name)
}

/**
 * Any text as one segment. Lower-case ASCII letters, digits, `-` and inner dots stand for themselves, every other byte
 * of UTF-8 is `_` and two hexadecimal digits. So two ids never share a segment, on file systems that ignore case or
 * normalise Unicode either. What gets too long becomes its start, `__` and its SHA-256: no escape has two underscores.
 */
function encodeSegment(text: string): string {
  if (text === "" || !text.isWellFormed()) throw new AppError("internal", "An id is empty or holds a lone surrogate")
  const bytes = Buffer.from(text)
  let encoded = ""
  for (const [i, byte] of bytes.entries()) {
    const character = String.fromCharCode(byte)
    const isInnerDot = character === "." && i > 0 && i < bytes.length - 1
    encoded += isInnerDot || /[a-z0-9-]/.test(character) ? character : escapeByte(byte)
  }
  if (DEVICE_NAME.test(encoded)) encoded = escapeByte(encoded.charCodeAt(0)) + encoded.slice(1)
  if (encoded.length <= SEGMENT_CHARS_MAX) return encoded
  return `${encoded.slice(0, READABLE_CHARS)}__${createHash("sha256").update(bytes).digest("hex")}`
}

function escapeByte(byte: number): string {
  return `_${byte.toString(16).padStart(2, "0")}`
}

/** The text of a segment, null inside for a digest; null for what `encodeSegment` does not make. */
function decodeSegment(segment: string): { readonly id: string | null } | null {
  if (!isSegment(segment)) return null
  if (DIGESTED.test(segment)) return { id: null }
  const latin1 = segment.replace(/_([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const id = Buffer.from(latin1, "latin1").toString()
  return encodeSegment(id) === segment ? { id } : null
}
