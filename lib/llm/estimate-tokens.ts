/** English has about four bytes a token, JSON and Portuguese about three, what isn't in Latin letters often fewer than three. */
export const BYTES_PER_TOKEN = 3

/** How many tokens a text has for a language model, where its server doesn't say: rather high, a third of the bytes. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
