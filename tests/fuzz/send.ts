import { Agent, type IncomingMessage, request as startRequest } from "node:http"
import type { FuzzRequest } from "./arbitrary-request.ts"

/** What came back; `hung` where nothing did in the time. */
export interface FuzzAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly tookMs: number
  readonly hung: boolean
}

/** Sends requests over connections that are kept, just as they are: `fetch` would mend paths, methods and headers. */
export function createSender(url: string, timeoutMs: number) {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  let retries = 0
  const send = (asked: FuzzRequest, isAgain = false): Promise<FuzzAnswer> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body } = asked
      const began = performance.now()
      const bytes = body === null ? null : Buffer.from(body, "latin1")
      const length = bytes && !("transfer-encoding" in headers) ? { "content-length": String(bytes.length) } : {}
      const options = { hostname, port, agent: isAgain ? false : agent, method, path }
      const outgoing = startRequest({ ...options, headers: { ...length, ...headers } })
      const late = setTimeout(() => {
        resolve({ status: 0, type: "", body: "", tookMs: performance.now() - began, hung: true })
        outgoing.destroy()
      }, timeoutMs)
      const failed = (error: NodeJS.ErrnoException) => {
        clearTimeout(late)
        // The server closed the connection, which had rested, in the moment in which we took it up.
        if (outgoing.reusedSocket && !isAgain) {
          retries++
          resolve(send(asked, true))
        } else reject(error)
      }
      outgoing.on("error", failed)
      outgoing.on("response", (incoming) => {
        read(incoming, path).then((answer) => {
          clearTimeout(late)
          resolve({ ...answer, tookMs: performance.now() - began, hung: false })
        }, failed)
      })
      outgoing.end(bytes ?? undefined)
    })
  return {
    send: (request: FuzzRequest) => send(request),
    /** How often a kept connection was gone when it was taken up. */
    retries: () => retries,
    close: () => agent.destroy(),
  }
}

async function read(incoming: IncomingMessage, path: string): Promise<Omit<FuzzAnswer, "tookMs" | "hung">> {
  const status = incoming.statusCode ?? 0
  const type = incoming.headers["content-type"] ?? ""
  // A stream of MCP's is open as long as its client wants it.
  if (type.startsWith("text/event-stream") && path.startsWith("/sse")) {
    incoming.destroy()
    return { status, type, body: "" }
  }
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  return { status, type, body: Buffer.concat(pieces).toString("utf8") }
}
