import { createServer } from "node:http"
import net, { type AddressInfo } from "node:net"

/** Where this process went, and whoever came to the address that a caller named. */
export interface Connections {
  /** An address that answers, and counts who comes. */
  readonly bait: string
  /** Visits to it: of this process, its threads and its modules alike. */
  readonly visits: string[]
  /** What this process connected to, or looked up: `127.0.0.1:5432`. */
  readonly opened: string[]
  close(): Promise<void>
}

/** Watches from now on. `net.Socket` is below fetch, http, https, TLS and every driver; names are looked up by it too. */
export async function watchConnections(): Promise<Connections> {
  const visits: string[] = []
  const opened: string[] = []
  const server = createServer(({ method, url }, response) => {
    visits.push(`${method} ${url}`)
    response.end("<p>bait</p>")
  })
  server.on("connection", () => visits.push("connection"))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const own = net.Socket.prototype.connect
  net.Socket.prototype.connect = function (this: net.Socket, ...given: unknown[]) {
    // Node itself hands over the arguments in a list of their own.
    const [first, second] = Array.isArray(given[0]) ? (given[0] as unknown[]) : given
    const {
      host = "localhost",
      port = first,
      path,
    } = typeof first === "object" && first !== null
      ? (first as net.TcpNetConnectOpts & net.IpcNetConnectOpts)
      : { host: second as string }
    opened.push(path ?? `${host}:${String(port)}`)
    return Reflect.apply(own, this, given) as net.Socket
  } as typeof own
  return {
    bait: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits,
    opened,
    close: async () => {
      net.Socket.prototype.connect = own
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
