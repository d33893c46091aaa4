import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { Contract, ContractRequest } from "./contract.ts"

/** A text of a body, or ``. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** What a stub answers. */
export interface StubAnswer {
  readonly status: number
  readonly body: unknown
}

export interface StubOptions {
  readonly contracts: readonly Contract[]
  /** Whether a request brings the right key. */
  isAllowed(headers: IncomingHttpHeaders): boolean
  /** The body of a refusal, as the engine has it. */
  refusal(status: number, message: string): unknown
  handle(request: ContractRequest): StubAnswer
}

export interface StubServer {
  readonly url: string
  /** What contracts had against requests and answers, in words. */
  readonly violations: string[]
  /** Every request that was let in. */
  readonly requests: ContractRequest[]
  close(): Promise<void>
}

/** An engine's HTTP server in this process. A request that a contract doesn't allow is refused (400), an answer that it doesn't allow fails (500). */
export async function startStub({ contracts, isAllowed, refusal, handle }: StubOptions): Promise<StubServer> {
  const violations: string[] = []
  const requests: ContractRequest[] = []
  const exchange = (request: ContractRequest): StubAnswer => {
    if (!isAllowed(request.headers)) return { status: 401, body: refusal(401, "no") }
    for (const contract of contracts) {
      const problem = contract.request(request)
      if (problem === null) continue
      violations.push(`${request.method} ${request.path}: ${problem}`)
      return { status: 400, body: refusal(400, problem) }
    }
    requests.push(request)
    const answer = handle(request)
    for (const contract of contracts) {
      const problem = contract.response(request, answer.status, answer.body)
      if (problem === null) continue
      violations.push(`answer ${answer.status} to ${request.method} ${request.path}: ${problem}`)
      return { status: 500, body: refusal(500, problem) }
    }
    return answer
  }
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on("data", (part: Buffer) => parts.push(part))
    incoming.on("end", () => {
      const { status, body } = exchange(toRequest(incoming, Buffer.concat(parts).toString()))
      outgoing.writeHead(status, { "content-type": "application/json" })
      outgoing.end(body === undefined ? "" : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    violations,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function toRequest({ method = "GET", url = "/", headers }: IncomingMessage, text: string): ContractRequest {
  const { pathname, searchParams } = new URL(url, "http://stub")
  return { method, path: pathname, query: searchParams, headers, body: text === "" ? undefined : JSON.parse(text) }
}
