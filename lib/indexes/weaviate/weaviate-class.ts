import { createHash } from "node:crypto"
import { AppError } from "../../errors.ts"
import type { CollectionFacts } from "../search-index.ts"

/** A property of a class, as far as it is read. */
export interface WeaviateProperty {
  readonly name: string
  readonly dataType: readonly string[]
  readonly tokenization?: string
  readonly indexFilterable?: boolean | null
  readonly indexSearchable?: boolean | null
  readonly indexInverted?: boolean | null
  readonly nestedProperties?: readonly WeaviateProperty[]
}

interface VectorIndex {
  readonly vectorIndexConfig?: { readonly distance?: string }
}

/** `GET /v1/schema/{class}`, as far as it is read. */
export interface WeaviateSchema extends VectorIndex {
  readonly properties?: readonly WeaviateProperty[] | null
  readonly vectorConfig?: Readonly<Record<string, VectorIndex>> | null
  readonly multiTenancyConfig?: { readonly enabled?: boolean } | null
}

/** A class as it is searched. */
export interface WeaviateClass {
  readonly className: string
  readonly properties: ReadonlyMap<string, WeaviateProperty>
  /** Null: the class has one vector, without a name. */
  readonly vectorName: string | null
  readonly metric: NonNullable<CollectionFacts["metric"]>
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A collection's name as Weaviate has it: it writes the first letter large. Throws `invalid_configuration` for one that it doesn't take. */
export function classNameOf(collection: string): string {
  const className = `${collection.slice(0, 1).toUpperCase()}${collection.slice(1)}`
  if (/^[A-Z][_0-9A-Za-z]{0,254}$/.test(className)) return className
  throw new AppError(
    "invalid_configuration",
    "Weaviate's collections are called by letters of ASCII, digits and _, with a letter in front. Correct RETRIEVAL_COLLECTION and PARENT_EXPANSION_COLLECTION.",
  )
}

/**
 * A partition as Weaviate's tenant: its own name, where Weaviate takes it (64 letters of ASCII, digits, `_` and `-`), else a digest
 * of it. A name that looks like a digest gets one of its own, so that no two share a tenant.
 */
export function tenantOf(partition: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(partition) && !/^t-[0-9a-f]{62}$/.test(partition)) return partition
  return `t-${createHash("sha256").update(partition).digest("hex").slice(0, 62)}`
}

const METRICS: Readonly<Record<string, WeaviateClass["metric"]>> = {
  cosine: "cosine",
  dot: "dot",
  "l2-squared": "euclidean",
}

/**
 * What a schema says. Throws `invalid_configuration` where the vector isn't there or is one of several, is compared in a way that
 * can't be searched here, or where the class has tenants and the settings don't, or the other way round.
 */
export function readClass(
  schema: WeaviateSchema,
  className: string,
  { vector: wanted, isDivided }: { readonly vector: string | undefined; readonly isDivided: boolean },
  name: string,
): WeaviateClass {
  const hasTenants = schema.multiTenancyConfig?.enabled === true
  if (hasTenants !== isDivided) {
    const problem = hasTenants
      ? "is divided into tenants: set VECTORDB_TENANCY to partition"
      : "has no tenants: set VECTORDB_TENANCY to single or field"
    throw new AppError("invalid_configuration", `${name} ${problem}.`)
  }
  const named = Object.keys(schema.vectorConfig ?? {})
  const vectorName =
    named.length === 0 && wanted === undefined ? null : (wanted ?? (named.length === 1 ? named[0] : undefined))
  if (vectorName === undefined || (vectorName !== null && !named.includes(vectorName))) {
    const there = named.length === 0 ? "one without a name" : named.join(", ")
    throw new AppError(
      "invalid_configuration",
      `${name} has these vectors: ${there}. Set WEAVIATE_VECTOR to the one to search.`,
    )
  }
  const { vectorIndexConfig } = vectorName === null ? schema : (schema.vectorConfig?.[vectorName] ?? {})
  const distance = vectorIndexConfig?.distance ?? "cosine"
  const metric = METRICS[distance]
  if (!metric)
    throw new AppError(
      "invalid_configuration",
      `The vectors of ${name} are compared by ${distance}, which can't be searched here.`,
    )
  return { className, properties: new Map((schema.properties ?? []).map((one) => [one.name, one])), vectorName, metric }
}

/** What a query must name to get everything: all but references and blobs. */
export function selectionOf(properties: Iterable<WeaviateProperty>): string {
  return [...properties]
    .map(fieldOf)
    .filter((field) => field !== "")
    .join(" ")
}

function fieldOf({ name, dataType, nestedProperties }: WeaviateProperty): string {
  const type = dataType[0] ?? ""
  if (/^[A-Z]/.test(type) || type === "blob") return ""
  if (type === "geoCoordinates") return `${name} { latitude longitude }`
  if (type === "phoneNumber") return `${name} { input internationalFormatted }`
  if (!type.startsWith("object")) return name
  const nested = selectionOf(nestedProperties ?? [])
  return nested === "" ? "" : `${name} { ${nested} }`
}
