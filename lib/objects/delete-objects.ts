import { DeleteObjectsCommand, type S3Client } from "@aws-sdk/client-s3"
import { AppError } from "../errors.ts"
import { describeS3Error } from "./s3-error.ts"

/** What S3 deletes in one request. */
const KEYS_MAX = 1_000

/**
 * Deletes objects, 1,000 a request; `s3:DeleteObject` on each is all the right it takes. S3 answers 200 for those that it
 * keeps too, each with an error of its own.
 *
 * @throws AppError `storage_unavailable` after all were tried, its cause with the count of every code; the SDK's errors
 */
export async function deleteObjects(client: S3Client, Bucket: string, names: readonly string[]): Promise<void> {
  const codes: string[] = []
  for (let i = 0; i < names.length; i += KEYS_MAX) {
    const Objects = names.slice(i, i + KEYS_MAX).map((Key) => ({ Key }))
    const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
    const { Errors = [] } = await client.send(command)
    codes.push(...Errors.map(({ Code = "Unknown" }) => Code))
  }
  const [first] = codes
  if (first === undefined) return
  const counted = [...new Set(codes)].map((code) => `${codes.filter((each) => each === code).length} ${code}`)
  const { code, message } = describeS3Error(asRefusal(first))
  const cause = new Error(`${codes.length} of ${names.length} objects were not deleted: ${counted.join(", ")}`)
  throw new AppError(code, message, { cause })
}

/** One object's error as that of a request: it has no status. */
function asRefusal(name: string): object {
  const httpStatusCode = name === "AccessDenied" ? 403 : ["InternalError", "SlowDown"].includes(name) ? 503 : 400
  return { name, $metadata: { httpStatusCode } }
}
