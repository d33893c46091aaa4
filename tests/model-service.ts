import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

/** One request that the service got. */
export interface ServiceRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/** What it answers: JSON, or text as it is; `null` cuts the connection, a delay comes first. */
export interface ServiceAnswer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly json?: unknown
  readonly text?: string
  readonly delayMs?: number
}

/** A model service on a free port of this machine that answers as `answer` says and remembers what it was asked. */
export async function startModelService(answer: (request: ServiceRequest, count: number) => ServiceAnswer | null) {
  const requests: ServiceRequest[] = []
  const aborts: number[] = []
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on("data", (part: Buffer) => parts.push(part))
    incoming.on("end", () => {
      const body = JSON.parse(Buffer.concat(parts).toString("utf8")) as Record<string, unknown>
      const request = { path: incoming.url ?? "", headers: incoming.headers, body }
      requests.push(request)
      outgoing.on("close", () => outgoing.writableFinished || aborts.push(performance.now()))
      const found = answer(request, requests.length)
      if (!found) return incoming.socket.destroy()
      const { status = 200, headers = {}, json, text, delayMs = 0 } = found
      setTimeout(() => outgoing.writeHead(status, headers).end(text ?? JSON.stringify(json)), delayMs).unref()
      return undefined
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    /** When callers went away before their answer, ms of `performance.now()`. */
    aborts,
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
