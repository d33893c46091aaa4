/** An operation of the contract, as far as a request is made of it. */
export interface OpenApiOperation {
  readonly method: string
  readonly path: string
  /** Whether a key is needed at all. */
  readonly needsKey: boolean
  /** Whether it may change documents: its scope is `index` or `delete`. */
  readonly writes: boolean
  readonly pathNames: readonly string[]
  readonly queryNames: readonly string[]
  readonly bodyTypes: readonly string[]
  /** Of all its JSON bodies. */
  readonly bodyProperties: readonly string[]
  /** Those without which the route takes no body. */
  readonly leastProperties: readonly string[]
}

export interface OpenApiDocument {
  readonly operations: readonly OpenApiOperation[]
}

interface Json {
  readonly [name: string]: Json
}

/** Of properties that stand in for each other, the first that a schema has is sent. */
const PRIMARY = ["query", "question", "content", "inputs", "input"]

/** Reads `/openapi.json`. */
export function readOpenApi(json: unknown): OpenApiDocument {
  const { paths, components } = json as unknown as { paths: Json; components: Json }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(path, method, operation, components)),
  )
  return { operations }
}

function readOperation(path: string, method: string, operation: Json, components: Json): OpenApiOperation {
  const parameters = (operation["parameters"] ?? []) as unknown as { readonly in: string; readonly name: string }[]
  const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name)
  const content = operation["requestBody"]?.["content"] ?? {}
  const bodyTypes = Object.keys(content)
  const schemas = bodyTypes
    .filter((type) => type !== "multipart/form-data")
    .map((type) => resolve(content[type]?.["schema"] ?? {}, components))
  const bodyProperties = [...new Set(schemas.flatMap((schema) => Object.keys(schema["properties"] ?? {})))]
  const required = schemas.flatMap((schema) => (schema["required"] ?? []) as unknown as string[])
  const [primary] = PRIMARY.filter((name) => bodyProperties.includes(name))
  const { description = "" } = operation as { readonly description?: string }
  return {
    method: method.toUpperCase(),
    path,
    needsKey: ((operation["security"] ?? []) as unknown as unknown[]).length > 0,
    writes: /scope `(?:index|delete)`/.test(description) || !["get", "post"].includes(method),
    pathNames: named("path"),
    queryNames: named("query"),
    bodyTypes,
    bodyProperties,
    leastProperties: [...new Set([...required, ...(primary === undefined ? [] : [primary])])],
  }
}

function resolve(schema: Json, components: Json): Json {
  const reference = schema["$ref"] as unknown as string | undefined
  if (reference === undefined) return schema
  return components["schemas"]?.[reference.replace("#/components/schemas/", "")] ?? {}
}
