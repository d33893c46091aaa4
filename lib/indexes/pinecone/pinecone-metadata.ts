import { nestDottedKeys } from "../dotted-keys.ts"
import { type SplitPayload, TEXT_KEY, takeText } from "../stored-text.ts"

/** What Pinecone keeps of a record: one level of texts, numbers, booleans and lists of texts. */
export type PineconeMetadata = Readonly<Record<string, unknown>>

/** A payload as Pinecone keeps it: objects become keys with dots; null, empty lists and lists of anything but texts are left out. */
export function metadataOf(text: string, payload: Readonly<Record<string, unknown>>): PineconeMetadata {
  return { ...Object.fromEntries(entriesOf(payload, "")), [TEXT_KEY]: text }
}

function entriesOf(payload: object, prefix: string): [string, unknown][] {
  return Object.entries(payload).flatMap(([key, value]: [string, unknown]): [string, unknown][] => {
    const name = `${prefix}${key}`
    if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return [[name, value]]
    if (Array.isArray(value)) {
      const isTexts = value.length > 0 && value.every((item) => typeof item === "string")
      return isTexts ? [[name, value]] : []
    }
    return typeof value === "object" && value !== null ? entriesOf(value, `${name}.`) : []
  })
}

/** Metadata as a payload: a key with dots stands in an object. */
export function readMetadata(metadata: PineconeMetadata = {}): SplitPayload {
  const { text, payload } = takeText(metadata)
  return { text, payload: nestDottedKeys(payload) }
}
