/** What Chroma keeps of a record: one level of texts, numbers and booleans. */
export type ChromaMetadata = Readonly<Record<string, string | number | boolean | null>>

/** Chroma's metadata as a payload: a key with dots stands in an object, where its front part isn't a value itself. */
export function payloadOf(metadata: ChromaMetadata | null): Record<string, unknown> {
  const payload: Record<string, unknown> = {}
  const entries = Object.entries(metadata ?? {}).filter(([, value]) => value !== null)
  // Whole keys first, so that `a` is there before `a.b` asks whether it may be an object.
  for (const [key, value] of entries.sort(([a], [b]) => a.split(".").length - b.split(".").length)) {
    const keys = key.split(".")
    const last = keys.pop() as string
    let place: Record<string, unknown> | undefined = payload
    for (const part of keys) place = objectAt(place, part)
    define(place ?? payload, place ? last : key, value)
  }
  return payload
}

function objectAt(parent: Record<string, unknown> | undefined, key: string): Record<string, unknown> | undefined {
  if (parent && !Object.hasOwn(parent, key)) define(parent, key, {})
  const child = parent?.[key]
  return typeof child === "object" && child !== null ? (child as Record<string, unknown>) : undefined
}

/** Also for `__proto__`, which an assignment would not make a key of. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
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
