import { AppError } from "../errors.ts"

/** Most bytes that `get` reads when its caller names no bound: they stand in memory at once. */
export const OBJECT_BYTES_MAX = 512 * 1024 * 1024

/** What is stored under a key. */
export interface StoredObject {
  readonly body: Uint8Array
  readonly contentType: string
}

/** What a listing tells of an object. */
export interface ObjectSummary {
  readonly key: string
  readonly bytes: number
}

/** What is known of an object without reading it. */
export interface ObjectHead extends ObjectSummary {
  readonly contentType: string
  /** Of this very content; absent where the store keeps no versions. */
  readonly version?: string | undefined
}

/**
 * Files by key: uploads, pictures of pages and chunks. Keys are `/`-separated segments made by `object-key.ts` alone, so that no id
 * of a caller's ever becomes a path; every method throws `internal` for any other key. Every method throws
 * `storage_unavailable` when the store can't be reached or refuses.
 */
export interface ObjectStore {
  /** Replaces what was there, whole or not at all. */
  put(key: string, body: Uint8Array, contentType: string): Promise<void>
  /** The same from a file of this machine, without holding it in memory. */
  putFile(key: string, path: string, contentType: string): Promise<void>
  /**
   * Writes the object to a new file of this machine; false when there is none. `storage_unavailable` beyond `bytesMax`.
   * `version` names what once stood under the key, where the store keeps versions; others read what stands there now.
   */
  getFile(key: string, path: string, bytesMax: number, version?: string): Promise<boolean>
  /** Null when there is none; `storage_unavailable` for one larger than `bytesMax`. */
  get(key: string, bytesMax?: number): Promise<StoredObject | null>
  /** Null when there is none. `version` as in `getFile`. */
  head(key: string, version?: string): Promise<ObjectHead | null>
  /** Any number of objects; no error for those that aren't there. One that can't be deleted keeps no other from it. */
  delete(keys: readonly string[]): Promise<void>
  /** In order of key, page after page behind the iterator. `prefix` is empty or ends with `/`. */
  list(prefix: string): AsyncIterable<ObjectSummary>
  /**
   * A URL to PUT one object of this type, good for `expiresS` seconds; null where the store has no URLs (the
   * filesystem). It bounds no size: look at `head` before `get`.
   */
  presignPut(key: string, contentType: string, expiresS: number): Promise<string | null>
}

/** The error of an object that is larger than its reader allows. */
export function tooLarge(bytesMax: number): AppError {
  return new AppError("storage_unavailable", `A stored object is larger than the ${bytesMax} bytes allowed for it`)
}
