import { nestDottedKeys } from "../dotted-keys.ts"

/** What Chroma keeps of a record: one level of texts, numbers and booleans. */
export type ChromaMetadata = Readonly<Record<string, string | number | boolean | null>>

/** Chroma's metadata as a payload; null is a key that was taken away. */
export function payloadOf(metadata: ChromaMetadata | null): Record<string, unknown> {
  return nestDottedKeys(Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => value !== null)))
}

/** A payload as Chroma keeps it: objects become keys with dots; lists and null are left out. */
export function metadataOf(
  payload: Readonly<Record<string, unknown>>,
  prefix = "",
): Record<string, string | number | boolean> {
  const metadata: Record<string, string | number | boolean> = {}
  for (const [key, value] of Object.entries(payload)) {
    const name = `${prefix}${key}`
    if (
      typeof value === "string" ||
      typeof value === "boolean" ||
      (typeof value === "number" && Number.isFinite(value))
    ) {
      metadata[name] = value
    } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      Object.assign(metadata, metadataOf(value as Record<string, unknown>, `${name}.`))
    }
  }
  return metadata
}
