import { createHash, randomBytes } from "node:crypto"
import * as z from "zod"
import { TenantId } from "../shapes.ts"

/**
 * What a key may do. `search`: find and read documents. `index`: add and replace them. `delete`: remove them.
 * `inference`: use the models.
 */
export const KeyScope = z.enum(["search", "index", "delete", "inference"])
export type KeyScope = z.infer<typeof KeyScope>

/** The tenant name that stands for every tenant; no tenant can be called so. */
export const EVERY_TENANT = "*"

/** Who is calling, as far as a route needs to know. */
export interface Principal {
  /** The key's id, for logs and rate limits; never the key. */
  readonly id: string
  /** Tenants it may be; `["*"]` is every tenant. */
  readonly tenants: readonly string[]
  readonly scopes: readonly KeyScope[]
  /** Requests a minute, absent when unlimited. */
  readonly ratePerMinute?: number
}

/** What a new key is made of. */
export const NewKey = z.object({
  name: z.string().min(1).max(200),
  tenants: z
    .array(z.union([z.literal(EVERY_TENANT), TenantId]))
    .min(1)
    .max(1_000)
    .default([EVERY_TENANT]),
  scopes: z
    .array(KeyScope)
    .min(1)
    .default([...KeyScope.options]),
  /** After it the key is refused. */
  expiresAt: z.date().optional(),
  ratePerMinute: z.int().min(1).max(1_000_000).optional(),
})
export type NewKey = z.input<typeof NewKey>

/** A key as it is shown to a caller once: `cc_` and 256 random bits, base64url. */
export function mintKey(): string {
  return `cc_${randomBytes(32).toString("base64url")}`
}

/** The id of a new key: what logs and `keys revoke` call it. */
export function newKeyId(): string {
  return `key_${randomBytes(9).toString("base64url")}`
}

/** True for what `mintKey` could have made: all else is refused without asking the database. */
export function looksLikeKey(text: string): boolean {
  return /^cc_[\w-]{43}$/.test(text)
}

/**
 * SHA-256 of a key, hex: what the database holds. A slow hash guards guessable passwords; 256 random bits are not
 * guessable, and a request should not wait 100 ms for its key.
 *
 * The hash is found in a unique index, which compares byte by byte and so in a time that depends on where two hashes part.
 * That is safe where comparing the keys themselves would not be: to know how a hash begins is no step towards a key that has
 * it, and to choose the next guess's hash takes as many tries as to guess. Wherever a secret itself decides, digests are
 * compared by `timingSafeEqual` (`run-inference-server.ts`).
 */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex")
}
