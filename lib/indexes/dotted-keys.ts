/**
 * Flat keys as a payload: one with dots stands in an object, where its front part isn't a value itself. Of engines whose metadata
 * has one level.
 */
export function nestDottedKeys(flat: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const payload: Record<string, unknown> = {}
  // Whole keys first, so that `a` is there before `a.b` asks whether it may be an object.
  const entries = Object.entries(flat).toSorted(([a], [b]) => a.split(".").length - b.split(".").length)
  for (const [key, value] of entries) {
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
  return typeof child === "object" && child !== null && !Array.isArray(child)
    ? (child as Record<string, unknown>)
    : undefined
}

/** Also for `__proto__`, which an assignment would not make a key of. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}
