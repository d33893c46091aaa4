import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3"
import { getSignedUrl } from "@aws-sdk/s3-request-presigner"
import { requireObjectKey, requireObjectPrefix } from "./object-key.ts"
import { OBJECT_BYTES_MAX, type ObjectStore, type ObjectSummary, type StoredObject, tooLarge } from "./object-store.ts"
import { describeS3Error, isMissingObject } from "./s3-error.ts"

export interface S3StoreOptions {
  readonly bucket: string
  /** Comes before every key: `archive/`. */
  readonly prefix?: string | undefined
  /** Without one the SDK looks at `AWS_REGION` and the profile; at an endpoint of one's own, `us-east-1`. */
  readonly region?: string | undefined
  /** Of a store that speaks S3 but isn't Amazon's. */
  readonly endpoint?: string | undefined
  /** `https://host/bucket/key` in place of `https://bucket.host/key`; true at an endpoint of one's own. */
  readonly forcePathStyle?: boolean | undefined
  /** Without them the SDK's own chain: variables, profile, role. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  /** How long a connection may stand still, ms; 30 s when not given. */
  readonly idleTimeoutMs?: number
  /** Attempts at one request, with the SDK's growing waits between them; 4 when not given. */
  readonly attemptsMax?: number
  /** Keys of one listing, at most 1,000, which is what a deletion of many takes. */
  readonly keysPerPage?: number
}

const CONNECT_TIMEOUT_MS = 5_000
/** The SDK repeats a request, but not a body that breaks off. */
const BODY_ATTEMPTS = 3

/**
 * Objects in a bucket, Amazon's or another's that speaks S3. Its rights: `s3:GetObject`, `s3:PutObject`,
 * `s3:DeleteObject` on the objects, and `s3:ListBucket` on the bucket, without which Amazon answers 403 for an object
 * that isn't there. Nothing is spoken to before the first call.
 */
export function createS3Store(options: S3StoreOptions): ObjectStore {
  const { bucket: Bucket, prefix: root = "", keysPerPage = 1_000 } = options
  const client = openClient(options)
  const nameOf = (key: string) => root + requireObjectKey(key).join("/")
  const addressOf = (key: string) => ({ Bucket, Key: nameOf(key) })

  async function* pages(prefix: string): AsyncGenerator<readonly ObjectSummary[]> {
    let ContinuationToken: string | undefined
    do {
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix: root + prefix,
        MaxKeys: keysPerPage,
        ContinuationToken,
      })
      const page = await reported(() => client.send(command))
      yield (page.Contents ?? []).map(({ Key = "", Size = 0 }) => ({ key: Key.slice(root.length), bytes: Size }))
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (ContinuationToken)
  }

  return {
    put: (key, body, contentType) =>
      reported(async () => {
        await client.send(new PutObjectCommand({ ...addressOf(key), Body: body, ContentType: contentType }))
      }),

    get: (key, bytesMax = OBJECT_BYTES_MAX) =>
      reported(async () => {
        for (let attempt = 1; ; attempt++) {
          const found = await client.send(new GetObjectCommand(addressOf(key))).catch(ignoreMissing)
          if (!found) return null
          const stored = await readBody(found, bytesMax, attempt === BODY_ATTEMPTS)
          if (stored) return stored
        }
      }),

    head: (key) =>
      reported(async () => {
        const found = await client.send(new HeadObjectCommand(addressOf(key))).catch(ignoreMissing)
        return found && { key, bytes: found.ContentLength ?? 0, contentType: typeOf(found) }
      }),

    delete: (key) =>
      reported(async () => {
        await client.send(new DeleteObjectCommand(addressOf(key)))
      }),

    async *list(prefix) {
      if (prefix !== "") requireObjectPrefix(prefix)
      for await (const page of pages(prefix)) yield* page
    },

    async deleteAll(prefix) {
      requireObjectPrefix(prefix)
      let deleted = 0
      for await (const page of pages(prefix)) {
        if (page.length === 0) continue
        const Objects = page.map(({ key }) => ({ Key: root + key }))
        const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
        const { Errors: [failed] = [] } = await reported(() => client.send(command))
        if (failed) throw describeS3Error(Object.assign(new Error(failed.Code), { name: failed.Code ?? "Unknown" }))
        deleted += page.length
      }
      return deleted
    },

    presignPut: (key, contentType, expiresS) => {
      const command = () => new PutObjectCommand({ ...addressOf(key), ContentType: contentType })
      // Signed, or the uploader could store any type under the URL.
      const signableHeaders = new Set(["content-type"])
      return reported(() => getSignedUrl(client, command(), { expiresIn: expiresS, signableHeaders }))
    },

    presignGet: (key, expiresS) =>
      reported(() => getSignedUrl(client, new GetObjectCommand(addressOf(key)), { expiresIn: expiresS })),
  }
}

function openClient(options: S3StoreOptions): S3Client {
  const { endpoint, credentials, region = endpoint && "us-east-1" } = options
  const { forcePathStyle = endpoint !== undefined, idleTimeoutMs = 30_000, attemptsMax = 4 } = options
  return new S3Client({
    ...(region && { region }),
    ...(endpoint && { endpoint }),
    ...(credentials && { credentials }),
    forcePathStyle,
    maxAttempts: attemptsMax,
    // A presigned PUT would carry the checksum of an empty body, which S3 refuses for any other.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: idleTimeoutMs },
  })
}

/** Null for a body that broke off, unless this was the last attempt. */
async function readBody(
  found: GetObjectCommandOutput,
  bytesMax: number,
  isLastAttempt: boolean,
): Promise<StoredObject | null> {
  const body = found.Body as (AsyncIterable<Uint8Array> & { destroy(): void }) | undefined
  const chunks: Uint8Array[] = []
  let bytes = found.ContentLength ?? 0
  if (bytes > bytesMax) {
    body?.destroy()
    throw tooLarge(bytesMax)
  }
  bytes = 0
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.length
      // Leaving the loop destroys the stream.
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      chunks.push(chunk)
    }
  } catch (error) {
    if (isLastAttempt || bytes > bytesMax) throw error
    return null
  }
  return { body: Buffer.concat(chunks, bytes), contentType: typeOf(found) }
}

function typeOf({ ContentType }: { readonly ContentType?: string | undefined }): string {
  return ContentType ?? "application/octet-stream"
}

function ignoreMissing(error: unknown): null {
  if (isMissingObject(error)) return null
  throw error
}

async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw describeS3Error(error)
  }
}
