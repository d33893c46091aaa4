import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import type { Hono } from "hono"
import { currentActivity, runActivity } from "../lib/activity.ts"
import type { Config } from "../lib/config.ts"
import { AppError } from "../lib/errors.ts"
import { type Arrivals, createArrivals } from "./arrivals.ts"
import { createDrain } from "./drain-connections.ts"
import type { Edge } from "./http/edge.ts"

/** A batch may upload for as long as it likes, but not for ever, ms. */
const REQUEST_TIMEOUT_MS = 3_600_000
/** All headers of a request, and how long they may take to come: Node's own bounds, said here because docs/api.md says them. */
const HEADER_BYTES_MAX = 16_384
const HEADERS_TIMEOUT_MS = 60_000
/** How long requests under way may take to finish when nobody says otherwise, ms. */
const GRACE_MS = 10_000

type Place = Pick<Config, "host" | "port">

interface OpenPort {
  /** Where it listens: `http://127.0.0.1:3825`. */
  readonly url: string
  /** From now on every answer closes its connection; new ones are still taken. */
  drain(): void
  /** Stops listening and lets requests finish for `graceMs`. True where all of them did. */
  close(graceMs?: number): Promise<boolean>
}

/** Serves the app on HOST and PORT. Throws `invalid_configuration` where they can't be had, and says why. */
export async function openPort(app: Hono<Edge>, place: Place): Promise<OpenPort> {
  // Requests are traced and measured as whatever opens the port is.
  const activity = currentActivity()
  let arrivals: Arrivals | undefined
  const fetch: typeof app.fetch = (...given) =>
    runActivity(activity, () => {
      const settled = arrivals?.settled()
      return settled && !isProbe(given[0]) ? settled.then(() => app.fetch(...given)) : app.fetch(...given)
    })
  const serverOptions = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
  }
  const server = createAdaptorServer({ fetch, serverOptions }) as Server
  const connections = createDrain(server)
  arrivals = createArrivals(server)
  const address = await listen(server, place)
  return {
    url: urlOf(address),
    drain: () => connections.begin(),
    close: (graceMs = GRACE_MS) => connections.close(graceMs),
  }
}

/** Of a balancer, which takes the server for dead where it has to wait. */
const isProbe = ({ url }: Request) => new URL(url).pathname.startsWith("/health")

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
