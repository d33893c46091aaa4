import { createHmac, randomBytes } from "node:crypto"

const PREFIX = "whsec_"

/** A new secret, `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(32).toString("base64")}`

/** What is sent: the same id and body with every attempt. */
export interface SignedMessage {
  readonly id: string
  readonly body: string
}

/**
 * The headers of one attempt, by Standard Webhooks (standardwebhooks.com): HMAC-SHA256 of id, time and body. `nowMs`: of the
 * attempt, ms since 1970.
 */
export function signWebhook({ id, body }: SignedMessage, secret: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000))
  const key = Buffer.from(secret.slice(PREFIX.length), "base64")
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` }
}
