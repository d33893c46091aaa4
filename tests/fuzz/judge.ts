import { Problem } from "../../functions/http/problem.ts"
import type { FuzzRequest } from "./arbitrary-request.ts"
import type { Contract } from "./contract.ts"
import type { FuzzAnswer } from "./send.ts"

/** Characters of an answer that are shown. */
const SHOWN = 500

/** What is wrong with an answer; null where nothing is. */
export function troubleOf(contract: Contract, request: FuzzRequest, answer: FuzzAnswer): string | null {
  const { status, type, body } = answer
  if (status >= 500) return `status ${status}: ${body.slice(0, SHOWN)}`
  // Node's own parser refuses what is no HTTP, without a body.
  if (request.method === "HEAD" || (status === 400 && body === "")) return null
  if (request.path.startsWith("/mcp")) return mcpTrouble(contract, request, answer)
  if (status >= 400) {
    if (type !== "application/problem+json") return `status ${status} is ${type}, no problem`
    if (!Problem.safeParse(parsed(body)).success) return `no problem by the contract: ${body.slice(0, SHOWN)}`
  }
  const operation = contract.operations.find(({ name }) => name === request.operation)
  return operation?.problemWith(status, type, body) ?? null
}

function mcpTrouble(contract: Contract, { operation }: FuzzRequest, { status, body }: FuzzAnswer): string | null {
  const error = messageOf(body)?.["error"] as { code?: number; message?: string } | undefined
  // The SDK gives wrong parameters of a method of the protocol the code of internal errors, with Zod's list of them.
  const isInternal = error?.code === -32603 && !error.message?.startsWith("[")
  if (isInternal || body.includes('"text":"internal: ')) return `an internal failure: ${body.slice(0, SHOWN)}`
  if (status >= 400 || operation === null) return null
  const result = messageOf(body)?.["result"] as Readonly<Record<string, unknown>> | undefined
  if (!result) return error ? null : `neither result nor error: ${body.slice(0, SHOWN)}`
  return result["isError"] === true
    ? null
    : contract.problemOfTool(operation.replace("tool ", ""), result["structuredContent"])
}

/** The last JSON-RPC message of an answer, which is JSON or a stream of events; null for neither. */
export function messageOf(body: string): Readonly<Record<string, unknown>> | null {
  const events = [...body.matchAll(/^data: ?(\{.*)$/gm)].map(([, data = ""]) => data)
  const message = parsed(events.at(-1) ?? body)
  return typeof message === "object" ? (message as Readonly<Record<string, unknown>> | null) : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
