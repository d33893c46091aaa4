import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** One request as it came. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a receiver does with a request: nothing answers 204. */
export type Behaviour = (request: Received, response: ServerResponse, incoming: IncomingMessage) => void

/** Somebody else's HTTP server that hears of documents. */
export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  /** From now on. */
  behave(behaviour: Behaviour): void
  /** Types and documents of what came, in order. */
  events(): string[]
  close(): Promise<void>
}

export const taken: Behaviour = (_request, response) => response.writeHead(204).end()

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let behaviour = taken
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = []
    incoming.on("data", (part: Buffer) => parts.push(part))
    incoming.on("end", () => {
      const headers = incoming.headers as Record<string, string>
      const request = { path: incoming.url ?? "", headers, body: Buffer.concat(parts).toString() }
      received.push(request)
      behaviour(request, response, incoming)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    port,
    received,
    behave: (next) => {
      behaviour = next
    },
    events: () =>
      received.map(({ body }) => {
        const { type, data } = JSON.parse(body) as { type: string; data: { document_id?: string } }
        return `${type} ${data.document_id ?? ""}`.trim()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Whether a request is signed by who knows the secret, as the specification says, written apart from the sender. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" } = headers
  if (Math.abs(Date.now() / 1_000 - Number(time)) > 300) return false
  const mac = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
  const wanted = Buffer.from(mac.update([id, time, body].join(".")).digest("base64"))
  return signatures.split(" ").some((each) => {
    const [version, value = ""] = each.split(",")
    const given = Buffer.from(value)
    return version === "v1" && given.length === wanted.length && timingSafeEqual(given, wanted)
  })
}
