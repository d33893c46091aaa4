import { Hono } from "hono"
import { handle, streamHandle } from "hono/aws-lambda"
import type { Config } from "../../lib/config.ts"
import type { Database } from "../../lib/database/database.ts"
import { openServer } from "../../lib/database/open-server.ts"
import { createTimedDatabase } from "../../lib/database/timed-database.ts"
import { AppError } from "../../lib/errors.ts"
import type { Log } from "../../lib/log.ts"
import { once } from "../../lib/once.ts"
import type { Guard } from "../http/auth.ts"
import { createEdge } from "../http/create-edge.ts"
import type { Edge } from "../http/edge.ts"
import { failingApp } from "../http/failing-app.ts"
import { observeInvocation, observeStream } from "../telemetry/observe-invocation.ts"
import { lambdaConfig, lambdaLog, requireDatabaseUrl } from "./opening.ts"

/** What the routes of every function stand on. */
export interface LambdaParts {
  readonly config: Config
  readonly log: Log
  readonly database: Database
  readonly guard: Guard
}

/** A request as one instance answers at a time: it needs no more connections. */
const CONNECTIONS_MAX = 2

/**
 * A Lambda behind API Gateway or a Function URL. `mount` adds its routes, once, while the instance starts: the first
 * request finds them ready.
 */
export function httpHandler(mount: MountWithDatabase) {
  return edgeHandler(withDatabase(mount))
}

/** The same behind a Function URL that streams. Its answers have no limit of their own that matters here: 200 MB. */
export function streamHandler(mount: MountWithDatabase) {
  const open = opening(withDatabase(mount))
  const app = new Hono<Edge>()
  app.all("*", async (c) => {
    const { app, log } = await open()
    return observeStream(log, async () => app.fetch(c.req.raw, c.env))
  })
  // What fails at the opening fails the invocation, with its reason.
  app.onError((error) => {
    throw error
  })
  return asStreamHandler(app)
}

/** The same for what needs no database, and no key. */
export function edgeHandler(mount: Mount) {
  const open = opening(mount)
  return async (...invocation: Parameters<ReturnType<typeof asHandler>>) => {
    const { app, log, config } = await open()
    const given = await observeInvocation(log, async () => asHandler(app)(...invocation))
    return given.body.length <= ANSWER_CHARS_MAX
      ? given
      : asHandler(failingApp(log, TOO_LARGE, config.corsOrigins))(...invocation)
  }
}

type Mount = (app: Hono<Edge>, parts: Pick<LambdaParts, "config" | "log">) => Promise<void> | void
type MountWithDatabase = (app: Hono<Edge>, parts: LambdaParts) => Promise<void> | void

function withDatabase(mount: MountWithDatabase): Mount {
  return async (app, { config, log }) => {
    const server = await openServer({ url: requireDatabaseUrl(config), connectionsMax: CONNECTIONS_MAX })
    const database = createTimedDatabase(server, config.databaseTimeoutMs)
    await mount(app, { config, log, database, guard: guardOf(config, database, log) })
  }
}

/** The app of this instance, made once. */
function opening(mount: Mount) {
  const open = once(async () => {
    const config = lambdaConfig()
    const log = lambdaLog(config)
    const app = createEdge(log, config.corsOrigins)
    await mount(app, { config, log })
    return { app, log, config }
  })
  // At once: an instance that starts has a whole core. What fails here fails the first request too, with its reason.
  open().catch(() => undefined)
  return () => open().catch(whileIndexIsDown)
}

/**
 * Somebody else's index may be down while an instance starts: that is told, and looked at again by the next request. Where it is stays
 * in the log, since nobody has shown a key yet.
 */
function whileIndexIsDown(error: unknown) {
  if (!(error instanceof AppError) || error.code !== "index_unavailable") throw error
  const config = lambdaConfig()
  const log = lambdaLog(config)
  const told = new AppError("index_unavailable", "The index that is searched does not answer", { cause: error })
  return { app: failingApp(log, told, config.corsOrigins), log, config }
}

/** Lambda takes 6 MB, a picture's base64 and the envelope included; over it the caller would get an error without a reason. */
const ANSWER_CHARS_MAX = 5_900_000
const TOO_LARGE = new AppError(
  "payload_too_large",
  "The answer is larger than 6 MB: ask for less of it; of a picture, format=jpeg or a smaller width",
)

/** Behind a Function URL that streams: Lambda takes a stream from it, and nothing else. */
// oxlint-disable-next-line typescript/no-deprecated -- as below
const asStreamHandler = (app: Hono<Edge>) => streamHandle(app)
// oxlint-disable-next-line typescript/no-deprecated -- @hono/aws-lambda, its successor, is not published yet (November 2026)
const asHandler = (app: Hono<Edge>) => handle(app)

/** Loaded by the first request that needs a key: a health check needs none. */
function guardOf(config: Config, database: Database, log: Log): Guard {
  const guard = once(async () => {
    const [auth, authenticator, { createWrongKeys }, { createRates }, { createPostgresLimits }] = await Promise.all([
      import("../http/auth.ts"),
      import("../../lib/keys/authenticator.ts"),
      import("../http/wrong-keys.ts"),
      import("../../lib/limits/rates.ts"),
      import("../../lib/limits/postgres-limits.ts"),
    ])
    return auth.createGuard({
      rates: createRates(createPostgresLimits(database), config),
      authenticate: authenticator.createAuthenticator(database),
      policy: config.concordanceServeWithoutKeys ? "open" : "keys",
      // API Gateway's and a Function URL's word, never a header's.
      peerAddress: (c) => c.env?.requestContext?.http?.sourceIp,
      trustedProxies: config.trustedProxies,
      wrongKeys: createWrongKeys(log),
    })
  })
  return (scope) => async (c, next) => (await guard())(scope)(c, next)
}
