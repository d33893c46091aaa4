import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What goes wrong with a request on its way: the store's own errors, or a connection that breaks or stalls in mid-body. */
export type Fault = "internal" | "slow down" | "reset" | "stall" | "short"

export interface FaultProxy {
  readonly url: string
  /** Requests that a fault has met since `break`. */
  met(): number
  /** From now on, what `which` says of a request happens to it; null lets it pass. */
  break(which: (method: string, path: string, count: number) => Fault | null): void
  heal(): void
  close(): Promise<void>
}

const ERRORS = {
  internal: [500, "<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>"],
  "slow down": [503, "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"],
} as const

/** Stands before a store on this machine, and passes on what no fault meets. */
export async function startFaultProxy(storePort: number): Promise<FaultProxy> {
  let which: Parameters<FaultProxy["break"]>[0] = () => null
  let count = 0
  const server = createServer((incoming, outgoing) => {
    const fault = which(incoming.method ?? "", incoming.url ?? "", count)
    if (fault !== null) count++
    if (fault === "internal" || fault === "slow down") return answerError(incoming, outgoing, fault)
    // An upload that breaks off: the store hears half of it.
    if (fault !== null && incoming.method === "PUT") return cutUpload(incoming, storePort)
    passOn(incoming, outgoing, storePort, fault)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    met: () => count,
    break(next) {
      count = 0
      which = next
    },
    heal: () => {
      which = () => null
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answerError(incoming: IncomingMessage, outgoing: ServerResponse, fault: keyof typeof ERRORS): void {
  const [status, body] = ERRORS[fault]
  incoming.resume().on("end", () => outgoing.writeHead(status, { "content-type": "application/xml" }).end(body))
}

function forward(incoming: IncomingMessage, port: number) {
  return request({ host: "127.0.0.1", port, method: incoming.method, path: incoming.url, headers: incoming.headers })
}

function cutUpload(incoming: IncomingMessage, port: number): void {
  const onward = forward(incoming, port).on("error", () => undefined)
  incoming.once("data", (piece: Buffer) => {
    onward.write(piece.subarray(0, Math.ceil(piece.length / 2)), () => {
      onward.destroy()
      incoming.socket.destroy()
    })
  })
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, port: number, fault: Fault | null): void {
  const onward = forward(incoming, port)
  onward.on("error", () => outgoing.destroy())
  onward.on("response", (answer) => {
    const pieces: Buffer[] = []
    answer.on("data", (piece: Buffer) => pieces.push(piece))
    answer.on("end", () => {
      const body = Buffer.concat(pieces)
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      if (fault === null || body.length < 2) {
        outgoing.end(body)
        return
      }
      outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => {
        // Its head has promised more: `short` ends politely all the same, as a proxy with a full disk does.
        if (fault === "reset") outgoing.socket?.resetAndDestroy()
        if (fault === "short") outgoing.socket?.end()
      })
    })
  })
  incoming.pipe(onward)
}
