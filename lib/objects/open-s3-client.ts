import { S3Client } from "@aws-sdk/client-s3"

/** Which bucket, and how patient its client is. */
export interface S3StoreOptions {
  readonly bucket: string
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
  /** Keys of one listing, at most 1,000. */
  readonly keysPerPage?: number
}

const CONNECT_TIMEOUT_MS = 5_000

/** The SDK would write to the console: that a request will not be repeated, which ours is, and how many sockets wait. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** The client of a bucket. Nothing is spoken to before the first request. */
export function openS3Client(options: S3StoreOptions): S3Client {
  const { endpoint, credentials, region = endpoint && "us-east-1" } = options
  const { forcePathStyle = endpoint !== undefined, idleTimeoutMs = 30_000, attemptsMax = 4 } = options
  return new S3Client({
    ...(region && { region }),
    ...(endpoint && { endpoint }),
    ...(credentials && { credentials }),
    forcePathStyle,
    maxAttempts: attemptsMax,
    logger: SILENT,
    // A presigned PUT would carry the checksum of an empty body, which S3 refuses for any other.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: idleTimeoutMs },
  })
}
