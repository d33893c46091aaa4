import { indexUnavailable } from "../index-failure.ts"
import type { IndexCall, NewRecord, SearchIndex } from "../search-index.ts"
import { TEXT_KEY } from "../stored-text.ts"
import { UUID, type WeaviateClass, type WeaviateProperty } from "./weaviate-class.ts"
import type { WeaviateAccess } from "./weaviate-index.ts"

/** Objects of one request: of 1,024 dimensions they take 4 MB. */
const BATCH = 200
/** Names that Weaviate takes for properties, and doesn't change: it writes the first letter small. */
const PROPERTY = /^[_a-z][_0-9A-Za-z]{0,230}$/
const RESERVED = new Set(["id", "_id", "_additional"])

/** Text and title are searched by words; all else is compared whole. */
const WORDED = [TEXT_KEY, "title"]

/** The writing side of a class: properties that it lacks are added before the objects that have them. */
export function writeWeaviate(
  access: WeaviateAccess,
): Required<Pick<SearchIndex, "upsert" | "delete" | "ensureCollection" | "reset">> {
  const { name, className, call, classOf, tenant, forget } = access
  return {
    async upsert(records, at) {
      for (let i = 0; i < records.length; i += BATCH) {
        const batch = records.slice(i, i + BATCH)
        const found = await withProperties(access, batch, at)
        const objects = batch.map((record) => toObject(record, found, tenant(at)))
        const answers = await call<{ result?: { status?: string } }[]>("POST", "/batch/objects", { objects }, at.signal)
        const failed = (answers ?? []).filter(({ result }) => result?.status === "FAILED").length
        if (failed > 0) throw indexUnavailable(name, `refused ${failed} of ${batch.length} records. Its log says why.`)
      }
    },
    async delete(ids, at) {
      const known = ids.filter((id) => UUID.test(id))
      const query = tenant(at) === null ? "" : `?tenant=${tenant(at)}`
      for (let i = 0; i < known.length; i += BATCH) {
        const where = { path: ["id"], operator: "ContainsAny", valueTextArray: known.slice(i, i + BATCH) }
        await call("DELETE", `/batch/objects${query}`, { match: { class: className, where } }, at.signal)
      }
    },
    async ensureCollection(_dimensions, at) {
      forget()
      if (!(await classOf(at))) {
        const schema = {
          class: className,
          vectorizer: "none",
          vectorIndexConfig: { distance: "cosine" },
          multiTenancyConfig: { enabled: access.isDivided },
          properties: WORDED.map((key) => newProperty(key, "text")),
        }
        await call("POST", "/schema", schema, at.signal)
      }
      if (!(await access.hasTenant(at)))
        await call("POST", `/schema/${className}/tenants`, [{ name: tenant(at) }], at.signal)
    },
    async reset(at) {
      const path = `/schema/${className}`
      // Asked first: what isn't there is refused as much as what may not go (400).
      if (!(await call("GET", path, undefined, at.signal, [404]))) return
      if (at.partition === null) await call("DELETE", path, undefined, at.signal)
      else if (await access.hasTenant(at)) await call("DELETE", `${path}/tenants`, [tenant(at)], at.signal)
      forget()
    },
  }
}

/** The class, with a property for all that the records have. */
async function withProperties(
  access: WeaviateAccess,
  records: readonly NewRecord[],
  at: IndexCall,
): Promise<WeaviateClass> {
  const found = await access.classOf(at)
  if (!found) throw indexUnavailable(access.name, "isn't there. Make it first.")
  const missing = new Map<string, object>()
  const entries = records.flatMap(({ payload }) => Object.entries(payload))
  for (const [key, value] of [[TEXT_KEY, ""] as const, ...entries]) {
    const type = typeOf(value)
    if (type === null || found.properties.has(key) || missing.has(key) || !PROPERTY.test(key) || RESERVED.has(key))
      continue
    missing.set(key, newProperty(key, type))
  }
  if (missing.size === 0) return found
  for (const property of missing.values())
    await access.call("POST", `/schema/${access.className}/properties`, property, at.signal)
  access.forget()
  return (await access.classOf(at)) ?? found
}

function newProperty(name: string, type: string): object {
  const isWorded = WORDED.includes(name)
  return {
    name,
    dataType: [type],
    indexFilterable: name !== TEXT_KEY,
    ...(type.startsWith("text") && { tokenization: isWorded ? "word" : "field", indexSearchable: isWorded }),
  }
}

/** The type that a value is kept as; null: none, it is left out. */
function typeOf(value: unknown): string | null {
  if (typeof value === "string") return "text"
  if (typeof value === "boolean") return "boolean"
  if (Number.isFinite(value)) return "number"
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string") ? "text[]" : null
}

function toObject({ id, text, payload, vector }: NewRecord, found: WeaviateClass, tenant: string | null): object {
  const kept = Object.entries(payload).filter(([key, value]) => fits(found.properties.get(key), value))
  const values = Array.from(vector)
  return {
    class: found.className,
    id,
    properties: { ...Object.fromEntries(kept), [TEXT_KEY]: text },
    ...(found.vectorName === null ? { vector: values } : { vectors: { [found.vectorName]: values } }),
    ...(tenant !== null && { tenant }),
  }
}

function fits(property: WeaviateProperty | undefined, value: unknown): boolean {
  const type = property?.dataType[0]
  if (type === "int") return Number.isSafeInteger(value)
  if (type === "uuid") return typeof value === "string" && UUID.test(value)
  return type !== undefined && type === typeOf(value)
}
