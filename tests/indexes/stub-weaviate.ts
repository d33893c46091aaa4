import type { WeaviateProperty } from "../../lib/indexes/weaviate/weaviate-class.ts"
import { type Contract, type ContractRequest, openContracts } from "./contract.ts"
import { type StubAnswer, type StubServer, startStub, textOf } from "./stub-server.ts"
import { matchesWeaviate, type WeaviateObject } from "./stub-weaviate-filter.ts"
import { type Field, readQuery, toWhereFilter } from "./stub-weaviate-query.ts"
import { bm25, type Hit, hybrid, nearest } from "./stub-weaviate-search.ts"

type Json = Record<string, unknown>

interface Class {
  readonly schema: Json
  readonly properties: Map<string, WeaviateProperty>
  readonly distances: ReadonlyMap<string, string>
  readonly isDivided: boolean
  /** By tenant; of a class without, by ``. */
  readonly tenants: Map<string, Map<string, WeaviateObject>>
}

/** Weaviate's REST and GraphQL interfaces over exact search in memory, held to their contract. Its key is `right-key`. */
export function startWeaviateStub(): Promise<StubServer> {
  const classes = new Map<string, Class>()
  const contracts = openContracts("weaviate", "weaviate/schema.json")
  const refusal = (_: number, message: string) => ({ error: [{ message }] })
  return startStub({
    contracts,
    isAllowed: ({ authorization }) => authorization === "Bearer right-key",
    refusal,
    handle(request) {
      try {
        return request.path === "/v1/graphql" ? answerQuery(classes, contracts, request) : answer(classes, request)
      } catch (error) {
        return { status: 422, body: refusal(422, (error as Error).message) }
      }
    },
  })
}

function answer(classes: Map<string, Class>, { method, path, query, body }: ContractRequest): StubAnswer {
  const [, , resource, name = "", part = "", last = ""] = path.split("/").map(decodeURIComponent)
  const ok = (value: unknown): StubAnswer => ({ status: 200, body: value })
  if (resource === "meta") return ok({ hostname: "http://[::]:8080", version: "1.40.0" })
  if (resource === "batch")
    return ok(
      method === "POST"
        ? put(classes, (body as { objects: Json[] }).objects)
        : remove(classes, body as Json, query.get("tenant") ?? ""),
    )
  if (name === "") return ok(createClass(classes, body as Json))
  const found = classes.get(name)
  if (!found) return { status: method === "DELETE" ? 400 : 404, body: undefined }
  switch (`${method} ${part}`) {
    case "GET ":
      return ok({ ...found.schema, properties: [...found.properties.values()] })
    case "DELETE ":
      classes.delete(name)
      return ok(undefined)
    case "POST properties":
      return ok(addProperty(found, body as unknown as WeaviateProperty))
    case "GET tenants":
      return found.tenants.has(last) ? ok({ name: last, activityStatus: "ACTIVE" }) : { status: 404, body: undefined }
    case "POST tenants":
      return ok((body as { name: string }[]).map(({ name: tenant }) => addTenant(found, tenant)))
    default:
      for (const tenant of body as string[]) found.tenants.delete(tenant)
      return ok(undefined)
  }
}

function createClass(classes: Map<string, Class>, schema: Json): Json {
  const name = String(schema["class"])
  if (!/^[A-Z][_0-9A-Za-z]*$/.test(name)) throw new Error(`'${name}' is not a valid class name`)
  if (classes.has(name)) throw new Error(`class name ${name} already exists`)
  const named = schema["vectorConfig"] as Record<string, { vectorIndexConfig?: { distance?: string } }> | undefined
  const nameless = schema["vectorIndexConfig"] as { distance?: string } | undefined
  const isDivided = (schema["multiTenancyConfig"] as { enabled?: boolean } | undefined)?.enabled === true
  const created: Class = {
    schema,
    properties: new Map(),
    distances: new Map(
      named
        ? Object.entries(named).map(([key, one]) => [key, one.vectorIndexConfig?.distance ?? "cosine"])
        : [["", nameless?.distance ?? "cosine"]],
    ),
    isDivided,
    tenants: new Map(isDivided ? [] : [["", new Map()]]),
  }
  for (const property of (schema["properties"] ?? []) as WeaviateProperty[]) addProperty(created, property)
  classes.set(name, created)
  return schema
}

const TYPES = /^(text|number|int|boolean|date|uuid|object)(\[\])?$|^geoCoordinates$/

function addProperty({ properties }: Class, property: WeaviateProperty): WeaviateProperty {
  if (!/^[_a-z][_0-9A-Za-z]{0,230}$/.test(property.name) || ["id", "_id", "_additional"].includes(property.name))
    throw new Error(`'${property.name}' is not a valid property name`)
  if (!TYPES.test(property.dataType[0] ?? "")) throw new Error("invalid dataType")
  if (properties.has(property.name)) throw new Error(`${property.name} already exists`)
  if (property.tokenization !== undefined && !/^text/.test(property.dataType[0] ?? ""))
    throw new Error("Tokenization is not allowed for this data type")
  properties.set(property.name, property)
  return property
}

function addTenant({ tenants, isDivided }: Class, name: string): Json {
  if (!isDivided) throw new Error("multi-tenancy is not enabled")
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new Error(`tenant name '${name}' is not valid`)
  if (tenants.has(name)) throw new Error(`tenant ${name} already exists`)
  tenants.set(name, new Map())
  return { name, activityStatus: "ACTIVE" }
}

function objectsOf({ tenants, isDivided }: Class, tenant: string): Map<string, WeaviateObject> {
  if (isDivided !== (tenant !== ""))
    throw new Error(
      isDivided
        ? "has multi-tenancy enabled, but request was without tenant"
        : "has multi-tenancy disabled, but request was with tenant",
    )
  const found = tenants.get(tenant)
  if (!found) throw new Error(`tenant not found: ${tenant}`)
  return found
}

function put(classes: Map<string, Class>, objects: readonly Json[]): Json[] {
  return objects.map((object) => {
    try {
      const found = classes.get(String(object["class"]))
      if (!found) throw new Error("no such class")
      for (const [key, value] of Object.entries(object["properties"] as Json))
        requireType(found.properties.get(key), value, key)
      const vectors = new Map(
        Object.entries((object["vectors"] ?? { "": object["vector"] }) as Record<string, number[]>),
      )
      for (const name of vectors.keys())
        if (!found.distances.has(name)) throw new Error("vector not found in the schema")
      const id = String(object["id"])
      objectsOf(found, textOf(object["tenant"])).set(id, {
        id,
        properties: object["properties"] as Json,
        vectors,
      })
      return { ...object, result: { status: "SUCCESS" } }
    } catch (error) {
      return { ...object, result: { status: "FAILED", errors: { error: [{ message: (error as Error).message }] } } }
    }
  })
}

/** Without auto-schema: what wasn't declared is refused. */
function requireType(property: WeaviateProperty | undefined, value: unknown, key: string): void {
  const type = property?.dataType[0] ?? "none"
  const isOne = (one: unknown) =>
    /^(text|date|uuid)/.test(type)
      ? typeof one === "string"
      : /^number/.test(type)
        ? typeof one === "number"
        : /^int/.test(type)
          ? Number.isInteger(one)
          : /^boolean/.test(type)
            ? typeof one === "boolean"
            : typeof one === "object"
  const isRight = type.endsWith("[]")
    ? Array.isArray(value) && value.every(isOne)
    : !Array.isArray(value) && isOne(value)
  if (!property || !isRight) throw new Error(`invalid property '${key}'`)
}

function remove(classes: Map<string, Class>, { match }: Json, tenant: string): Json {
  const { class: name, where } = match as { class: string; where: Json }
  const found = classes.get(name)
  if (!found) throw new Error("no such class")
  const objects = objectsOf(found, tenant)
  const matching = [...objects.values()].filter((object) => matchesWeaviate(where, object, found.properties))
  for (const { id } of matching) objects.delete(id)
  return { match: match as Json, results: { matches: matching.length, successful: matching.length, failed: 0 } }
}

/** What is wrong with a query is said in an answer of status 200, as GraphQL does. */
function answerQuery(
  classes: Map<string, Class>,
  contracts: readonly Contract[],
  { body }: ContractRequest,
): StubAnswer {
  try {
    const root = readQuery((body as { query: string }).query)
    const [field] = root.fields
    const found = classes.get(field?.name ?? "")
    if (!field || !found) throw new Error(`Cannot query field "${field?.name}" on type "GetObjectsObj".`)
    const result = root.name === "Aggregate" ? count(found, field) : get(found, field, contracts)
    return { status: 200, body: { data: { [root.name]: { [field.name]: result } } } }
  } catch (error) {
    return { status: 200, body: { data: {}, errors: [{ message: (error as Error).message }] } }
  }
}

function count(found: Class, { args }: Field): Json[] {
  return [{ meta: { count: objectsOf(found, textOf(args["tenant"])).size } }]
}

function get(found: Class, { args, fields }: Field, contracts: readonly Contract[]): Json[] {
  const {
    limit,
    where,
    tenant,
    nearVector: near,
    bm25: words,
    hybrid: both,
    ...unknown
  } = args as Record<string, Json | undefined>
  if (Object.keys(unknown).length > 0) throw new Error(`Unknown argument "${Object.keys(unknown)[0]}"`)
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > 10_000)
    throw new Error("query maximum results exceeded")
  const filter = where && toWhereFilter(where)
  const problem =
    filter && contracts.map((contract) => contract.fits("WhereFilter", filter)).find((one) => one !== null)
  if (problem) throw new Error(problem)
  const all = [...objectsOf(found, textOf(tenant)).values()]
  const nothing = { id: "", properties: {}, vectors: new Map() }
  // Told of an empty class too.
  shown({ object: nothing }, fields, found)
  matchesWeaviate(filter, nothing, found.properties)
  const matching = all.filter((object) => matchesWeaviate(filter, object, found.properties))
  // Words are counted in the whole class; its filter comes after.
  const kept = new Set(matching)
  const hits: Hit[] = near
    ? nearest(matching, near, found)
    : words
      ? bm25(all, words, found)
      : both
        ? hybrid(all, both, found)
        : matching.map((object) => ({ object }))
  return hits
    .filter(({ object }) => kept.has(object))
    .slice(0, Number(limit))
    .map((hit) => shown(hit, fields, found))
}

function shown({ object, distance, score }: Hit, fields: readonly Field[], { properties }: Class): Json {
  return Object.fromEntries(
    fields.map(({ name, fields: nested }) => {
      if (name === "_additional") return [name, additional(object, nested, { distance, score })]
      const type = properties.get(name)?.dataType[0]
      if (type === undefined) throw new Error(`Cannot query field "${name}"`)
      if (/^(object|geo)/.test(type) !== nested.length > 0)
        throw new Error(`Field "${name}" wants ${nested.length > 0 ? "no " : ""}subfields`)
      return [name, object.properties[name] ?? null]
    }),
  )
}

function additional(
  { id, vectors }: WeaviateObject,
  fields: readonly Field[],
  { distance, score }: { distance: number | undefined; score: number | undefined },
): Json {
  return Object.fromEntries(
    fields.map(({ name, fields: nested }) => {
      if (name === "id") return [name, id]
      if (name === "distance") return [name, distance ?? null]
      if (name === "score") return [name, score === undefined ? null : String(score)]
      if (name === "vector") return [name, vectors.get("") ?? []]
      if (name === "vectors")
        return [name, Object.fromEntries(nested.map((one) => [one.name, vectors.get(one.name) ?? null]))]
      throw new Error(`Cannot query field "${name}" on type "AdditionalProps".`)
    }),
  )
}
