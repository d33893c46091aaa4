import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

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
  /** In place of text: pieces, with a pause before each. After `partsSent` of them the connection is cut. */
  readonly parts?: readonly string[]
  readonly partMs?: number
  readonly partsSent?: number
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
      outgoing.on("close", () => {
        if (!outgoing.writableFinished) aborts.push(performance.now())
      })
      const found = answer(request, requests.length)
      if (!found) return incoming.socket.destroy()
      const { status = 200, headers = {}, json, text, delayMs = 0 } = found
      const send = (): void => {
        outgoing.writeHead(status, headers)
        if (found.parts) void sendParts(outgoing, found)
        else outgoing.end(text ?? JSON.stringify(json))
      }
      setTimeout(send, delayMs).unref()
      return undefined
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    /** When callers went away before their answer had ended, in milliseconds of `performance.now()`. */
    aborts,
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function sendParts(
  outgoing: ServerResponse,
  { parts = [], partMs = 0, partsSent }: ServiceAnswer,
): Promise<void> {
  for (const part of parts.slice(0, partsSent)) {
    if (partMs > 0) await sleep(partMs, undefined, { ref: false })
    if (outgoing.destroyed) return
    outgoing.write(part)
  }
  if (partsSent === undefined) outgoing.end()
  // What was written goes out first.
  else setTimeout(() => outgoing.destroy(), 20)
}
