import type { DenseQuery, HybridQuery, LexicalQuery } from "../search-index.ts"
import { TEXT_KEY } from "../stored-text.ts"
import { selectionOf, type WeaviateClass } from "./weaviate-class.ts"
import type { Where } from "./weaviate-filter.ts"

/** What one query of a class asks besides its search. */
export interface GetQuery {
  readonly limit: number
  readonly withVectors: boolean
  readonly where: Where | undefined
  readonly tenant: string | null
  /** `nearVector: {…}`; undefined: none. */
  readonly search: string | undefined
  /** `distance` or `score`. */
  readonly measure: "distance" | "score" | undefined
}

/** A name of GraphQL's own, which is written without quotes. */
class Name {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A value as GraphQL writes it. Its texts have JSON's escapes, so that none can end the text. */
function literal(value: unknown): string {
  if (value instanceof Name) return value.name
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, one]) => `${key}: ${key === "operator" ? String(one) : literal(one)}`)
  return `{${fields.join(", ")}}`
}

/** `{ Get { … } }`: objects with all their properties. */
export function getQuery({ className, properties, vectorName }: WeaviateClass, query: GetQuery): string {
  const { limit, where, tenant, search, measure, withVectors } = query
  const fields = [`limit: ${limit}`]
  if (search !== undefined) fields.push(search)
  if (where) fields.push(`where: ${literal(where)}`)
  if (tenant !== null) fields.push(`tenant: ${literal(tenant)}`)
  const vector = vectorName === null ? "vector" : `vectors { ${vectorName} }`
  const additional = ["id", ...(measure ? [measure] : []), ...(withVectors ? [vector] : [])].join(" ")
  const selection = selectionOf(properties.values())
  return `{ Get { ${className}(${fields.join(", ")}) { ${selection} _additional { ${additional} } } } }`
}

/** `{ Aggregate { … } }`: how many objects there are. */
export function countQuery(className: string, tenant: string | null): string {
  return `{ Aggregate { ${className}${tenant === null ? "" : `(tenant: ${literal(tenant)})`} { meta { count } } } }`
}

export function nearVector({ vector }: DenseQuery, { vectorName }: WeaviateClass): string {
  return `nearVector: ${literal({ vector: Array.from(vector), ...targets(vectorName) })}`
}

export function bm25({ text }: LexicalQuery, found: WeaviateClass): string {
  return `bm25: ${literal({ query: text, ...searched(found) })}`
}

export function hybrid({ text, vector }: HybridQuery, found: WeaviateClass): string {
  return `hybrid: ${literal({
    query: text,
    vector: Array.from(vector),
    alpha: 0.5,
    fusionType: new Name("rankedFusion"),
    ...searched(found),
    ...targets(found.vectorName),
  })}`
}

function targets(vectorName: string | null): object {
  return vectorName === null ? {} : { targetVectors: [vectorName] }
}

/** Of what Concordance wrote, text and title, the title twice; of others' objects, every property that can be. */
function searched({ properties }: WeaviateClass): object {
  if (!properties.has(TEXT_KEY)) return {}
  const title = properties.get("title")
  const hasTitle = title?.dataType[0] === "text" && title.indexSearchable !== false
  return { properties: [TEXT_KEY, ...(hasTitle ? ["title^2"] : [])] }
}
