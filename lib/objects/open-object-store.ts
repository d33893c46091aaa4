import { join } from "node:path"
import { createFilesystemStore } from "./filesystem-store.ts"
import type { ObjectStore } from "./object-store.ts"
import { observeObjectStore } from "./observe-object-store.ts"

/** Where objects are kept, as the configuration says it. */
export interface ObjectStoreSettings {
  /** `CONCORDANCE_HOME`: without a bucket, objects are files in its folder `objects`. */
  readonly concordanceHome: string
  readonly objectStoreBucket?: string | undefined
  readonly objectStoreEndpoint?: string | undefined
  readonly objectStoreRegion?: string | undefined
  readonly objectStorePathStyle?: boolean | undefined
}

/** The store that the settings name: a bucket, else the filesystem. The SDK is loaded only where it is used. */
export async function openObjectStore(settings: ObjectStoreSettings): Promise<ObjectStore> {
  return observeObjectStore(await openStore(settings))
}

async function openStore(settings: ObjectStoreSettings): Promise<ObjectStore> {
  if (!settings.objectStoreBucket) return createFilesystemStore({ folder: join(settings.concordanceHome, "objects") })
  const { createS3Store } = await import("./s3-store.ts")
  return createS3Store({
    bucket: settings.objectStoreBucket,
    endpoint: settings.objectStoreEndpoint,
    region: settings.objectStoreRegion,
    forcePathStyle: settings.objectStorePathStyle,
  })
}
