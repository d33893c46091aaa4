import type { Hono } from "hono"
import { handle, streamHandle } from "hono/aws-lambda"
import type { Config } from "../../lib/config.ts"
import type { Database } from "../../lib/database/database.ts"
import { openServer } from "../../lib/database/open-server.ts"
import { AppError } from "../../lib/errors.ts"
import type { Log } from "../../lib/log.ts"
import { once } from "../../lib/once.ts"
import type { Guard } from "../http/auth.ts"
import { createEdge } from "../http/create-edge.ts"
import type { Edge } from "../http/edge.ts"
import { failingApp } from "../http/failing-app.ts"
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
export function httpHandler(mount: (app: Hono<Edge>, parts: LambdaParts) => Promise<void> | void) {
  return edgeHandler(async (app, { config, log }) => {
    const database = await openServer({ url: requireDatabaseUrl(config), connectionsMax: CONNECTIONS_MAX })
    await mount(app, { config, log, database, guard: guardOf(config, database) })
  })
}

/** The same for what needs no database, and no key. */
export function edgeHandler(
  mount: (app: Hono<Edge>, parts: Pick<LambdaParts, "config" | "log">) => Promise<void> | void,
) {
  const open = once(async () => {
    const config = lambdaConfig()
    const log = lambdaLog(config)
    const app = createEdge(log)
    await mount(app, { config, log })
    return { answer: asHandler(app), refuse: asHandler(failingApp(log, TOO_LARGE)) }
  })
  // At once: an instance that starts has a whole core. What fails here fails the first request too, with its reason.
  open().catch(() => undefined)
  return async (...invocation: Parameters<ReturnType<typeof asHandler>>) => {
    const { answer, refuse } = await open()
    const given = await answer(...invocation)
    return given.body.length <= ANSWER_CHARS_MAX ? given : refuse(...invocation)
  }
}

/** Lambda takes 6 MB, a picture's base64 and the envelope included; over it the caller would get an error without a reason. */
const ANSWER_CHARS_MAX = 5_900_000
const TOO_LARGE = new AppError(
  "payload_too_large",
  "The answer is larger than 6 MB: ask for less of it; of a picture, format=jpeg or a smaller width",
)

/** Behind a Function URL that streams: Lambda takes a stream from it, and nothing else. */
// oxlint-disable-next-line typescript/no-deprecated -- as below
export const asStreamHandler = (app: Hono<Edge>) => streamHandle(app)
// oxlint-disable-next-line typescript/no-deprecated -- @hono/aws-lambda, its successor, is not published yet (November 2026)
const asHandler = (app: Hono<Edge>) => handle(app)

/** Loaded by the first request that needs a key: a health check needs none. */
function guardOf(config: Config, database: Database): Guard {
  const guard = once(async () => {
    const [{ createGuard }, { createAuthenticator }] = await Promise.all([
      import("../http/auth.ts"),
      import("../../lib/keys/authenticator.ts"),
    ])
    return createGuard({
      authenticate: createAuthenticator(database),
      policy: config.concordanceServeWithoutKeys ? "open" : "keys",
      // Nobody is on this machine.
      peerAddress: () => undefined,
    })
  })
  return (scope) => async (c, next) => (await guard())(scope)(c, next)
}
