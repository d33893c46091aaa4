import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import type { Hono } from "hono"
import { currentActivity, runActivity } from "../lib/activity.ts"
import type { Config } from "../lib/config.ts"
import { AppError } from "../lib/errors.ts"
import type { Edge } from "./http/edge.ts"

/** A batch may upload for as long as it likes, but not for ever, ms. */
const REQUEST_TIMEOUT_MS = 3_600_000
/** All headers of a request, and how long they may take to come: Node's own bounds, said here because docs/api.md says them. */
const HEADER_BYTES_MAX = 16_384
const HEADERS_TIMEOUT_MS = 60_000
/** How long requests under way may take to finish when the server stops, ms. */
const DRAIN_MS = 10_000

type Place = Pick<Config, "host" | "port">

interface OpenPort {
  /** Where it listens: `http://127.0.0.1:3825`. */
  readonly url: string
  /** Stops listening and lets requests finish. */
  close(): Promise<void>
}

/** Serves the app on HOST and PORT. Throws `invalid_configuration` where they can't be had, and says why. */
export async function openPort(app: Hono<Edge>, place: Place): Promise<OpenPort> {
  // Requests are traced and measured as whatever opens the port is.
  const activity = currentActivity()
  const fetch: typeof app.fetch = (...given) => runActivity(activity, () => app.fetch(...given))
  const serverOptions = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
  }
  const server = createAdaptorServer({ fetch, serverOptions }) as Server
  const address = await listen(server, place)
  return { url: urlOf(address), close: () => drain(server) }
}

/** A port that is taken is told at once, not after the seconds that database and models take to open. */
export async function requireFreePort(place: Place): Promise<void> {
  const probe = createServer()
  await listen(probe, place)
  await new Promise((resolve) => probe.close(resolve))
}

function listen(server: Server, { host, port }: Place): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenFailure(error, host, port)))
    server.listen(port, host, () => resolve(server.address() as AddressInfo))
  })
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): unknown {
  const why = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another one.`,
    EACCES: `Port ${port} may not be opened by this user. Set PORT to one above 1023.`,
    EADDRNOTAVAIL: `HOST=${host} is no address of this machine. 127.0.0.1 and 0.0.0.0 always are.`,
    ENOTFOUND: `HOST=${host} is not a name that this machine knows.`,
  }[error.code ?? ""]
  return why ? new AppError("invalid_configuration", why, { cause: error }) : error
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const patience = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await closed
  clearTimeout(patience)
}
