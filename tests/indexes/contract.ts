import { existsSync, readFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { fileURLToPath } from "node:url"
import { Ajv, type ValidateFunction } from "ajv"
import { parse } from "yaml"

type Json = Record<string, unknown>

/** One request, as a contract sees it. */
export interface ContractRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Undefined: none. */
  readonly body: unknown
}

/** What a contract has against an exchange; null: nothing. */
export interface Contract {
  request(request: ContractRequest): string | null
  response(request: Pick<ContractRequest, "method" | "path">, status: number, body: unknown): string | null
  /** Whether a value fits the definition of that name. */
  fits(definition: string, value: unknown): string | null
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Json
  readonly type?: string
}

interface Found {
  readonly operation: Json
  readonly parameters: readonly Parameter[]
  readonly pointer: string
}

/** For the name of a test that is skipped without them. */
export const WHERE_SPECS_ARE = "CONCORDANCE_SPECS names the folder that has it"

/** Where a published contract is, of the folder that CONCORDANCE_SPECS names; null: not here. It is no part of this repository. */
function publishedFile(file: string): string | null {
  // biome-ignore lint/style/noProcessEnv: a test's own setting, which the product has no use for
  const folder = process.env["CONCORDANCE_SPECS"]
  return folder && existsSync(`${folder}/${file}`) ? `${folder}/${file}` : null
}

/** Whether the contract that an engine's makers published is here. */
export function isPublished(file: string): boolean {
  return publishedFile(file) !== null
}

/** Our own sample of an engine's contract, and the published one where it is here. An exchange must fit both. */
export function openContracts(engine: string, published: string): Contract[] {
  const own = fileURLToPath(new URL(`contracts/${engine}.yaml`, import.meta.url))
  return [own, publishedFile(published)].flatMap((file) =>
    file === null ? [] : [createContract(parse(readFileSync(file, "utf8")) as Json)],
  )
}

/** An OpenAPI document (3.0, or Swagger 2.0) as what it allows. */
function createContract(document: Json): Contract {
  // Weaviate declares a named vector as an object, and takes and gives lists.
  const { Vector } = (document["definitions"] ?? {}) as { Vector?: Json }
  if (Vector) delete Vector["type"]
  const strict = compiler(document, true)
  const open = compiler(document, false)
  const paths = document["paths"] as Record<string, Json>
  const { basePath: base = "" } = document as { basePath?: string }
  const templates = Object.keys(paths)
    .toSorted((a, b) => a.split("{").length - b.split("{").length)
    .map((template) => ({
      template,
      pattern: new RegExp(`^${template.replace(/[.]/g, "\\.").replace(/\{[^}]+\}/g, "[^/]+")}$`),
    }))
  const find = ({ method, path }: Pick<ContractRequest, "method" | "path">): Found | null => {
    if (!path.startsWith(base)) return null
    const match = templates.find(
      ({ pattern, template }) =>
        pattern.test(path.slice(base.length)) && method.toLowerCase() in (paths[template] ?? {}),
    )
    if (!match) return null
    const operation = paths[match.template]?.[method.toLowerCase()] as Json
    const parameters = ((operation["parameters"] ?? []) as Json[]).map(
      (one) => resolve(document, one) as unknown as Parameter,
    )
    return { operation, parameters, pointer: `/paths/${escapedKey(match.template)}/${method.toLowerCase()}` }
  }
  return {
    request(request) {
      const found = find(request)
      if (!found) return `there is no ${request.method} ${request.path}`
      return problemOfParameters(request, found) ?? problemOfBody(request, found, strict)
    },
    response(request, status, body) {
      const found = find(request)
      if (!found) return `there is no ${request.method} ${request.path}`
      const responses = found.operation["responses"] as Record<string, Json>
      const key = [String(status), `${String(status)[0]}XX`, "default"].find((one) => one in responses)
      if (key === undefined) return `status ${status} is not one of ${Object.keys(responses).join(", ")}`
      const at = `${found.pointer}/responses/${key}`
      const response = responses[key] as Json
      if ("schema" in response) return problemOf(open(`${at}/schema`), body)
      const content = response["content"] as Json | undefined
      return content ? problemOf(open(`${at}/content/application~1json/schema`), body) : null
    },
    fits: (definition, value) =>
      problemOf(
        strict("definitions" in document ? `/definitions/${definition}` : `/components/schemas/${definition}`),
        value,
      ),
  }
}

function problemOfParameters({ query, headers }: ContractRequest, { parameters }: Found): string | null {
  for (const { name, in: place, required } of parameters) {
    const isThere =
      place === "query" ? query.has(name) : place === "header" ? headers[name.toLowerCase()] !== undefined : true
    if (required && !isThere) return `${place} ${name} is missing`
  }
  for (const [name, value] of query) {
    const parameter = parameters.find((one) => one.in === "query" && one.name === name)
    if (!parameter) return `query ${name} is unknown`
    const type = (parameter.schema?.["type"] as string | undefined) ?? parameter.type
    if (type === "integer" && !/^-?\d+$/.test(value)) return `query ${name} is no integer`
    if (type === "boolean" && value !== "true" && value !== "false") return `query ${name} is no boolean`
  }
  return null
}

function problemOfBody(
  { body }: ContractRequest,
  { operation, parameters, pointer }: Found,
  compile: Compile,
): string | null {
  const index = parameters.findIndex((one) => one.in === "body")
  const declared = index >= 0 ? `${pointer}/parameters/${index}/schema` : null
  const inContent = operation["requestBody"] ? `${pointer}/requestBody/content/application~1json/schema` : null
  const schema = declared ?? inContent
  if (!schema) return body === undefined ? null : "it takes no body"
  return body === undefined ? "its body is missing" : problemOf(compile(schema), body)
}

type Compile = (pointer: string) => ValidateFunction

function problemOf(validate: ValidateFunction, value: unknown): string | null {
  if (validate(value)) return null
  const { instancePath, message, params } = validate.errors?.[0] ?? {}
  return `${instancePath || "the body"} ${message} ${JSON.stringify(params)}`
}

/** @param isClosed whether an object may have only the properties that are named: what a server ignores is a mistake here */
function compiler(document: Json, isClosed: boolean): Compile {
  const ajv = new Ajv({ strict: false, logger: false, validateFormats: true })
  ajv.addFormat("uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
  ajv.addFormat("uint32", {
    type: "number",
    validate: (value: number) => Number.isInteger(value) && value >= 0 && value < 2 ** 32,
  })
  ajv.addSchema({ ...(toJsonSchema(document, isClosed) as Json), $id: "contract" })
  const compiled = new Map<string, ValidateFunction>()
  return (pointer) => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${encodeURI(pointer)}` })
    compiled.set(pointer, known)
    return known
  }
}

/** The document's schemas in JSON Schema's words. */
function toJsonSchema(value: unknown, isClosed: boolean, inAllOf = false): unknown {
  if (Array.isArray(value)) return value.map((one) => toJsonSchema(one, isClosed, inAllOf))
  if (typeof value !== "object" || value === null) return value
  const { nullable, "x-nullable": xNullable, example: _, $id: __, ...rest } = value as Json
  const schema = Object.fromEntries(
    Object.entries(rest).map(([key, one]) => [key, toJsonSchema(one, isClosed, key === "allOf")]),
  ) as Json
  // A property called `required` is a schema, and Pinecone marks a property as required within itself.
  if (schema["required"] !== undefined && !("properties" in schema)) delete schema["required"]
  if (isClosed && !inAllOf && isObjectSchema(schema)) schema["additionalProperties"] = false
  if (nullable !== true && xNullable !== true) return schema
  if (Object.keys(schema).every((key) => key === "description")) return { type: "null" }
  return { anyOf: [schema, { type: "null" }] }
}

function isObjectSchema(schema: Json): boolean {
  const { properties, additionalProperties, type } = schema
  return (
    type === "object" &&
    typeof properties === "object" &&
    Object.keys(properties as Json).length > 0 &&
    additionalProperties === undefined
  )
}

function resolve(document: Json, value: Json): Json {
  const reference = value["$ref"]
  if (typeof reference !== "string") return value
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((at, key) => (at as Json)[key.replaceAll("~1", "/").replaceAll("~0", "~")], document) as Json
}

function escapedKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1")
}
