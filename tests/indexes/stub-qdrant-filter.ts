import type { JsonObject } from "./stub-qdrant.ts"

/** What Qdrant's filters mean, after its documentation (Filtering, Payload), computed on one point. */
export function matchesQdrant(filter: JsonObject | undefined, id: string | number, payload: JsonObject): boolean {
  if (!filter) return true
  const list = (key: string) => (filter[key] === undefined ? null : [filter[key]].flat()) as JsonObject[] | null
  const holds = (condition: JsonObject) => matchesCondition(condition, id, payload)
  const should = list("should")
  return (
    (list("must") ?? []).every(holds) &&
    !(list("must_not") ?? []).some(holds) &&
    (should === null || should.length === 0 || should.some(holds))
  )
}

function matchesCondition(condition: JsonObject, id: string | number, payload: JsonObject): boolean {
  if ("has_id" in condition) return (condition["has_id"] as unknown[]).includes(id)
  if ("is_null" in condition)
    return valuesAt(payload, String((condition["is_null"] as JsonObject)["key"])).includes(null)
  if (!("key" in condition)) return matchesQdrant(condition, id, payload)
  // A list at the end of the path is looked into; one on the way only where the key says `[]`.
  const values = valuesAt(payload, String(condition["key"])).flat()
  const { match, range } = condition as { match?: JsonObject; range?: Record<string, number> }
  return values.some((value) => (match ? isMatch(match, value) : isWithin(range ?? {}, value)))
}

function isMatch(match: JsonObject, value: unknown): boolean {
  if ("value" in match) return value === match["value"] && isMatchable(value)
  if ("any" in match) return isMatchable(value) && (match["any"] as unknown[]).includes(value)
  throw new Error("a match that this stub doesn't know")
}

/** Texts, whole numbers and booleans: a match never equals a number with a fraction. */
function isMatchable(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isInteger(value)
}

function isWithin({ gt, gte, lt, lte }: Record<string, number>, value: unknown): boolean {
  if (typeof value !== "number") return false
  return (
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) &&
    (lte === undefined || value <= lte)
  )
}

/** What a payload has at a key of Qdrant's: `a.b`, `a[].b`, `"quoted key".b`. */
function valuesAt(payload: JsonObject, key: string): unknown[] {
  const steps = [...key.matchAll(/(?:^|\.)(?:"([^"]*)"|([A-Za-z0-9_-]+))|(\[\])/g)]
  if (steps.map(([whole]) => whole).join("") !== key) throw new Error("a key that isn't one of Qdrant's paths")
  let values: unknown[] = [payload]
  for (const [, quoted, plain, isList] of steps) {
    if (isList) values = values.flatMap((value) => (Array.isArray(value) ? value : []))
    else {
      const name = quoted ?? plain ?? ""
      values = values
        .filter((value): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value))
        .filter((value) => Object.hasOwn(value, name))
        .map((value) => value[name])
    }
  }
  return values
}
