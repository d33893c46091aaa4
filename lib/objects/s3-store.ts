import { HeadObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3"
import { getSignedUrl } from "@aws-sdk/s3-request-presigner"
import { deleteObjects } from "./delete-objects.ts"
import { requireObjectKey, requireObjectPrefix } from "./object-key.ts"
import { OBJECT_BYTES_MAX, type ObjectStore, type ObjectSummary } from "./object-store.ts"
import { openS3Client, type S3StoreOptions } from "./open-s3-client.ts"
import { describeS3Error } from "./s3-error.ts"
import { download, downloadFile, nullIfMissing, uploadFile } from "./s3-transfers.ts"

/**
 * Objects in a bucket, Amazon's or another's that speaks S3. Its rights: `s3:GetObject`, `s3:PutObject`,
 * `s3:DeleteObject` on the objects, `s3:GetObjectVersion` where a version is asked for, and `s3:ListBucket` on the
 * bucket, without which Amazon answers 403 for an object that isn't there. Nothing is spoken to before the first call.
 */
export function createS3Store(options: S3StoreOptions): ObjectStore {
  const { bucket: Bucket, keysPerPage = 1_000 } = options
  const client = openS3Client(options)
  const nameOf = (key: string) => requireObjectKey(key).join("/")
  const addressOf = (key: string, version?: string) => ({
    Bucket,
    Key: nameOf(key),
    ...(version !== undefined && { VersionId: version }),
  })

  async function* pages(prefix: string): AsyncGenerator<readonly ObjectSummary[]> {
    let ContinuationToken: string | undefined
    do {
      const command = new ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: keysPerPage, ContinuationToken })
      const page = await reported(() => client.send(command))
      yield (page.Contents ?? []).map(({ Key = "", Size = 0 }) => ({ key: Key, bytes: Size }))
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (ContinuationToken)
  }

  return {
    put: (key, body, contentType) =>
      reported(async () => {
        await client.send(new PutObjectCommand({ ...addressOf(key), Body: body, ContentType: contentType }))
      }),

    putFile: (key, path, contentType) => reported(() => uploadFile(client, addressOf(key), path, contentType)),

    getFile: (key, path, bytesMax, version) =>
      reported(() => downloadFile(client, addressOf(key, version), path, bytesMax)),

    get: (key, bytesMax = OBJECT_BYTES_MAX) =>
      reported(() =>
        download(client, addressOf(key), bytesMax, async (body, found) => {
          const chunks: Uint8Array[] = []
          for await (const chunk of body) chunks.push(chunk)
          return { body: Buffer.concat(chunks), contentType: typeOf(found) }
        }),
      ),

    head: (key, version) =>
      reported(async () => {
        const found = await client.send(new HeadObjectCommand(addressOf(key, version))).catch(nullIfMissing)
        return found && { key, bytes: found.ContentLength ?? 0, contentType: typeOf(found), version: found.VersionId }
      }),

    delete: (keys) => reported(async () => deleteObjects(client, Bucket, keys.map(nameOf))),

    async *list(prefix) {
      if (prefix !== "") requireObjectPrefix(prefix)
      for await (const page of pages(prefix)) yield* page
    },

    presignPut: (key, contentType, expiresS) => {
      const command = () => new PutObjectCommand({ ...addressOf(key), ContentType: contentType })
      // Signed, or the uploader could store any type under the URL.
      const signableHeaders = new Set(["content-type"])
      return reported(() => getSignedUrl(client, command(), { expiresIn: expiresS, signableHeaders }))
    },
  }
}

function typeOf({ ContentType }: { readonly ContentType?: string | undefined }): string {
  return ContentType ?? "application/octet-stream"
}

async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw describeS3Error(error)
  }
}
