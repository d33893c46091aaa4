import { AppError } from "../errors.ts"

/** What S3 answers for credentials that are wrong, old or not there at all. */
const CREDENTIALS = [
  "CredentialsProviderError",
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "ExpiredToken",
  "ExpiredTokenException",
  "InvalidToken",
  "TokenRefreshRequired",
  "AuthorizationHeaderMalformed",
]

/** Whether an error of the SDK says that the object isn't there. A HEAD can't tell that from a bucket that isn't. */
export function isMissingObject(error: unknown): boolean {
  const { name, status } = factsOf(error)
  return name === "NoSuchKey" || (status === 404 && name !== "NoSuchBucket")
}

/** Whether another attempt may help: the network broke, or the store is overloaded or down. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return false
  const { name, status, isRegionMissing } = factsOf(error)
  if (status === 0) return !isRegionMissing && !CREDENTIALS.includes(name)
  return status === 429 || status >= 500
}

/**
 * An error of the SDK as `storage_unavailable` that says what the operator does next. S3's own words stay out of it and
 * of its cause: they repeat key ids, signatures and what was signed.
 */
export function describeS3Error(error: unknown): AppError {
  if (error instanceof AppError) return error
  const facts = factsOf(error)
  const said = [facts.name, facts.code, facts.status && `status ${facts.status}`, facts.requestId]
  const cause = new Error(said.filter(Boolean).join(", "))
  return new AppError("storage_unavailable", `The object store of OBJECT_STORE_BUCKET ${problem(facts)}`, { cause })
}

interface S3Facts {
  readonly name: string
  /** Of the network: `ECONNREFUSED`. */
  readonly code: string
  readonly status: number
  readonly requestId: string
  readonly isRegionMissing: boolean
}

function problem({ name, status, isRegionMissing }: S3Facts): string {
  if (isRegionMissing) return "has no region: set OBJECT_STORE_REGION or AWS_REGION"
  if (CREDENTIALS.includes(name)) {
    return "got no valid credentials: check the role, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the region"
  }
  if (name === "NoSuchBucket") return "has no such bucket: create it, or correct OBJECT_STORE_BUCKET"
  if (name === "RequestTimeTooSkewed") return "sees another time than this machine: set its clock"
  if (status === 301 || name === "PermanentRedirect") {
    return "is in another region: set OBJECT_STORE_REGION to the bucket's"
  }
  if (status === 403) {
    return "refused: grant s3:GetObject, s3:PutObject, s3:DeleteObject on its objects and s3:ListBucket on the bucket"
  }
  if (status === 429 || status >= 500) return "is overloaded or down: try again in a minute"
  if (status >= 400) return `answered with status ${status}: check OBJECT_STORE_ENDPOINT and OBJECT_STORE_PATH_STYLE`
  return "can't be reached: check OBJECT_STORE_ENDPOINT, OBJECT_STORE_REGION and the network"
}

function factsOf(error: unknown): S3Facts {
  const { name, code, message, $metadata } = (error ?? {}) as Partial<Record<string, unknown>>
  const { httpStatusCode, requestId } = ($metadata ?? {}) as Partial<Record<string, unknown>>
  return {
    name: typeof name === "string" ? name : "Error",
    code: typeof code === "string" ? code : "",
    status: typeof httpStatusCode === "number" ? httpStatusCode : 0,
    requestId: typeof requestId === "string" ? requestId : "",
    isRegionMissing: message === "Region is missing",
  }
}
