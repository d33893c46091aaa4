import { createHash } from "node:crypto"

/** The namespace of all ids here. It never changes: with another every record would be written a second time. */
const NAMESPACE = Buffer.from("7f1b5c1e6f0d5a3c9d0e2b8a4c6f1e37", "hex")

/**
 * The id of a chunk's record in an index elsewhere: the UUIDv5 (RFC 9562, 5.5) of tenant, document and chunk as a list of JSON, which
 * no two of them share.
 */
export function recordId(tenant: string, documentId: string, chunkId: string): string {
  const name = JSON.stringify([tenant, documentId, chunkId])
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
