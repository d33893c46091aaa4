import { createHash } from "node:crypto"
import * as z from "zod"
import { parseUploadKey, uploaderOf } from "../../objects/object-key.ts"
import { DocumentId, TenantId } from "../../shapes.ts"
import { storable } from "../storable.ts"
import { documentIdFor } from "./document-id.ts"

/** What of an S3 notification is read; it may have more. */
export const BucketNotification = z.object({
  Records: z.array(
    z.object({
      eventName: z.string(),
      s3: z.object({
        object: z.object({
          key: z.string(),
          size: z.number().optional(),
          versionId: z.string().optional(),
          sequencer: z.string().optional(),
        }),
      }),
    }),
  ),
})
export type BucketNotification = z.infer<typeof BucketNotification>

/** What S3 sends once, when a queue is made to hear of a bucket. */
export const TestNotification = z.object({ Event: z.literal("s3:TestEvent") })

/** Something that happened to one key. */
export interface BucketRecord {
  readonly kind: "created" | "removed"
  readonly key: string
  readonly bytes: number | undefined
  readonly version: string | undefined
  readonly sequencer: string | undefined
}

/** The records of a notification that are about objects that came or went. Keys come URL-encoded, with `+` for a space. */
export function bucketRecords({ Records }: BucketNotification): BucketRecord[] {
  return Records.flatMap(({ eventName, s3: { object } }) => {
    const kind = kindOf(eventName)
    const { size: bytes, versionId: version, sequencer } = object
    return kind === null ? [] : [{ kind, key: decodeKey(object.key), bytes, version, sequencer }]
  })
}

function kindOf(eventName: string): BucketRecord["kind"] | null {
  if (/^(?:s3:)?ObjectCreated:/.test(eventName)) return "created"
  return /^(?:s3:)?ObjectRemoved:(?:Delete|DeleteMarkerCreated)$/.test(eventName) ? "removed" : null
}

function decodeKey(encoded: string): string {
  const spaced = encoded.replaceAll("+", " ")
  try {
    return storable(decodeURIComponent(spaced))
  } catch {
    return storable(spaced)
  }
}

/** Whose upload a key is as far as the key tells. */
export interface KeyOwner {
  readonly tenant: string
  /** Null of one too long to stand in a key: the key's row knows it. */
  readonly documentId: string | null
}

/**
 * Null where the key tells no tenant. Under a key that the service doesn't make, a document is called after the file, so
 * that somebody sees it.
 */
export function ownerOf(key: string): KeyOwner | null {
  const tenant = TenantId.safeParse(uploaderOf(key)).data
  if (tenant === undefined) return null
  const address = parseUploadKey(key)
  if (address && address.documentId === null) return { tenant, documentId: null }
  const documentId = DocumentId.safeParse(address?.documentId).data
  const named = () => documentIdFor(key.slice(key.lastIndexOf("/") + 1), createHash("sha256").update(key).digest("hex"))
  return { tenant, documentId: documentId ?? named() }
}
