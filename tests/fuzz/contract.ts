import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { Schema } from "./arbitrary-of-schema.ts"

interface Named {
  readonly name: string
  readonly schema: Schema
}

/** An operation of `/openapi.json`, with what it takes and what it may answer. */
export interface ContractOperation {
  /** `GET /documents/{id}` */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly pathParameters: readonly Named[]
  readonly query: readonly Named[]
  readonly bodies: readonly { readonly type: string; readonly schema: Schema }[]
  /** What is wrong with an answer by the contract; null where nothing is. */
  problemWith(status: number, type: string, body: string): string | null
}

export interface Contract {
  readonly operations: readonly ContractOperation[]
  readonly components: Readonly<Record<string, Schema>>
  readonly tools: readonly Tool[]
  /** What is wrong with a tool's result; null where nothing is. */
  problemOfTool(name: string, result: unknown): string | null
}

interface Tool {
  readonly name: string
  readonly inputSchema: Schema
  readonly outputSchema: Schema
}

interface Json {
  readonly [name: string]: Json
}

/** Reads the contract that a server publishes, and the tools that it lists. */
export function readContract(document: unknown, tools: Contract["tools"]): Contract {
  const { paths, components } = document as { paths: Json; components: { schemas: Record<string, Schema> } }
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
  ajv.addSchema({ $id: "contract", components })
  const compiled = new Map<string, ValidateFunction>()
  const check = (reference: string, value: unknown): string | null => {
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: `contract${reference}` })
    compiled.set(reference, validate)
    return validate(value) ? null : `${reference}: ${ajv.errorsText(validate.errors)}`
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(path, method, operation, check)),
  )
  const outputs = new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema)]))
  const problemOfTool = (name: string, result: unknown) => {
    const validate = outputs.get(name)
    return !validate || validate(result) ? null : `tool ${name}: ${ajv.errorsText(validate.errors)}`
  }
  return { operations, components: components.schemas, tools, problemOfTool }
}

function operationOf(
  path: string,
  method: string,
  operation: Json,
  check: (reference: string, value: unknown) => string | null,
): ContractOperation {
  const parameters = (operation["parameters"] ?? []) as unknown as (Named & { readonly in: string })[]
  const content = operation["requestBody"]?.["content"] ?? {}
  const responses = operation["responses"] ?? {}
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    pathParameters: parameters.filter((each) => each.in === "path"),
    query: parameters.filter((each) => each.in === "query"),
    bodies: Object.entries(content).map(([type, { schema }]) => ({ type, schema: schema as unknown as Schema })),
    problemWith(status, type, body) {
      if (status === 304) return null
      const stated = responses[String(status)] ?? responses["default"]
      const [media = ""] = type.split(";")
      const reference = stated?.["content"]?.[media]?.["schema"]?.["$ref"] as unknown as string | undefined
      if (reference === undefined) return `the contract has no ${media} for ${status}`
      if (media === "application/x-ndjson")
        return firstOf(
          body
            .split("\n")
            .filter(Boolean)
            .map((line) => check(reference, JSON.parse(line))),
        )
      return check(reference, /json$/.test(media) ? JSON.parse(body) : body)
    },
  }
}

function firstOf(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null
}
