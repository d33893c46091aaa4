import { router } from "./router.ts"
import { stage } from "./stage.ts"

/** Uploads and pictures: private, by TLS only. */
export const bucket = new sst.aws.Bucket("Objects", {
  versioning: true,
  // For the page that puts a file under a presigned URL; the URL is the permission.
  cors: {
    allowOrigins: [router.url, ...stage.corsOrigins],
    allowMethods: ["PUT"],
    allowHeaders: ["content-type"],
    maxAge: "1 hour",
  },
  transform: {
    bucket: (args) => {
      args.forceDestroy = !stage.isProduction
    },
  },
})

new aws.s3.BucketServerSideEncryptionConfiguration("ObjectsEncryption", {
  bucket: bucket.name,
  rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }],
})

new aws.s3.BucketLifecycleConfiguration("ObjectsLifecycle", {
  bucket: bucket.name,
  rules: [
    {
      // What was deleted or replaced can be brought back for a month (docs/operations.md).
      id: "old-versions",
      status: "Enabled",
      filter: { prefix: "" },
      noncurrentVersionExpiration: { noncurrentDays: 30 },
      abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
    },
    // A rule of its own: S3 takes this setting beside no other expiration.
    {
      id: "delete-markers",
      status: "Enabled",
      filter: { prefix: "" },
      expiration: { expiredObjectDeleteMarker: true },
    },
  ],
})

/** The bucket's name for handlers. It grants nothing: linking the bucket itself would grant `s3:*`. */
export const objects = new sst.Linkable("ObjectStore", { properties: { bucket: bucket.name } })

const FOLDERS = ["uploads", "pages", "images"] as const
type Folder = (typeof FOLDERS)[number]

/** Actions on the objects of some folders of the bucket. */
export function mayOnObjects(folders: readonly Folder[], actions: readonly `s3:${string}`[]) {
  return { actions: [...actions], resources: folders.map((folder) => $interpolate`${bucket.arn}/${folder}/*`) }
}

/**
 * What is in the folders. Without it S3 answers 403 in place of 404 for an object that isn't there; of that question the
 * object's own key is the prefix.
 */
export const mayListObjects = {
  actions: ["s3:ListBucket"],
  resources: [bucket.arn],
  conditions: [{ test: "StringLike", variable: "s3:prefix", values: FOLDERS.map((folder) => `${folder}/*`) }],
}
