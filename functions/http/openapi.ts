import * as z from "zod"
import type { KeyScope } from "../../lib/keys/api-key.ts"
import { Problem } from "./problem.ts"

/** A schema by the name it has in the document. */
type Named = readonly [name: string, schema: z.ZodType]
type Content = { readonly [mediaType: `${string}/${string}`]: Named }

/** One operation of the contract, as its route file states it; the schemas are the very ones that validate. */
export interface Operation {
  readonly method: "get" | "post" | "delete"
  /** Heading that the reference lists it under. */
  readonly tag: "Search" | "Answers" | "Documents" | "Models" | "Service"
  /** As OpenAPI writes it: `/documents/{id}`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** Scope that the key needs; absent where no key is needed. */
  readonly scope?: KeyScope
  readonly pathParameters?: Readonly<Record<string, z.ZodType>>
  readonly query?: z.ZodObject
  readonly request?: Content
  readonly responses: { readonly [status: number]: { readonly description: string } & Content }
}

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the operations. */
export function openApiDocument(operations: readonly Operation[], version: string): Json {
  const components = new Components()
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation, components) }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Concordance",
      version,
      description: "Hybrid retrieval: finds passages by meaning and by words at once. Errors are RFC 9457 problems.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key" },
        header: { type: "apiKey", in: "header", name: "x-api-key", description: "An API key" },
      },
    },
  }
}

function describe(operation: Operation, components: Components): Json {
  const { scope, request } = operation
  const words = scope ? [operation.description, `Needs a key with the scope \`${scope}\`.`] : [operation.description]
  const description = words.filter(Boolean).join(" ")
  return {
    operationId: operationId(operation),
    tags: [operation.tag],
    summary: operation.summary,
    ...(description && { description }),
    // No key is needed on loopback with the embedded database: hence the empty alternative. In 3.1 the array of a scheme
    // that is not OAuth's may name roles.
    security: scope ? [{ bearer: [scope] }, { header: [scope] }, {}] : [],
    parameters: parameters(operation),
    ...(request && { requestBody: { required: true, content: content(request, "input", components) } }),
    responses: responses(operation, components),
  }
}

function operationId({ method, path }: Operation): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean)
  return [method, ...words].map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join("")
}

function parameters({ pathParameters = {}, query }: Operation): Json[] {
  const inPath = Object.entries(pathParameters).map(([name, schema]) => parameter("path", name, schema))
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => parameter("query", name, schema))
  return [...inPath, ...inQuery]
}

function parameter(place: "path" | "query", name: string, schema: z.core.$ZodType): Json {
  const { $schema: _, description, ...json } = z.toJSONSchema(schema, { io: "input" })
  return { name, in: place, required: place === "path", ...(description && { description }), schema: json }
}

function responses(operation: Operation, components: Components): Json {
  const stated = Object.entries(operation.responses).map(([status, { description, ...types }]) => [
    status,
    { description, content: content(types, "output", components) },
  ])
  const problem = content({ "application/problem+json": ["Problem", Problem] }, "output", components)
  return { ...Object.fromEntries(stated), default: { description: "It failed", content: problem } }
}

function content(types: Content, io: "input" | "output", components: Components): Json {
  const entries = Object.entries(types).map(([type, named]) => [type, { schema: components.reference(named, io) }])
  return Object.fromEntries(entries)
}

/** The named schemas of the document. */
class Components {
  readonly schemas: Record<string, unknown> = {}

  reference([name, schema]: Named, io: "input" | "output"): Json {
    if (!(name in this.schemas)) {
      const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { io })
      // A recursive schema keeps its parts under its own $defs, which a component can't: they become components too.
      for (const [key, definition] of Object.entries($defs)) this.schemas[`${name}.${key}`] = rewire(definition, name)
      this.schemas[name] = rewire(json, name)
    }
    return { $ref: `#/components/schemas/${name}` }
  }
}

function rewire(json: unknown, name: string): unknown {
  return JSON.parse(JSON.stringify(json).replaceAll('"$ref":"#/$defs/', `"$ref":"#/components/schemas/${name}.`))
}
