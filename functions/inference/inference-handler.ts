import type { MiddlewareHandler } from "hono"
import type { Origin } from "../../lib/activity.ts"
import { AppError } from "../../lib/errors.ts"
import type { Embedder, Reranker } from "../../lib/inference/inference.ts"
import { type InferenceAnswer, InferenceCall } from "../../lib/inference/lambda-service.ts"
import type { Log } from "../../lib/log.ts"
import { once } from "../../lib/once.ts"
import type { Guard } from "../http/auth.ts"
import type { Edge } from "../http/edge.ts"
import { failingApp } from "../http/failing-app.ts"
import { observeInvocation } from "../telemetry/observe-invocation.ts"
import { createInferenceApp } from "./inference-app.ts"

interface InferenceHandlerParts {
  /** Opens the models; called at once, and again by the next call where it failed. */
  readonly openModels: () => Promise<{ readonly embedder: Embedder | null; readonly reranker: Reranker | null }>
  readonly timeoutMs: number
  readonly log: Log
}

type LambdaContext = NonNullable<Edge["Bindings"]["lambdaContext"]>

/** Lambda takes 6,291,556 bytes of an answer; a little of it goes to the status. */
const ANSWER_BYTES_MAX = 6_290_000

/** IAM has decided who may invoke the function; whoever may, may do all of it. */
const open: Guard = () => async (_, next) => next()

/**
 * The models as a Lambda that the other functions invoke: `{path, body}` in, `{status, body}` out, where path and body
 * are those of the HTTP surface. Whatever goes wrong is an answer with its status; only a broken process is not.
 */
export function createInferenceHandler({ openModels, timeoutMs, log }: InferenceHandlerParts) {
  const openApp = once(async () => {
    const models = await openModels()
    return createInferenceApp({ ...models, guard: open, timeoutMs, log, around: boundedAnswer })
  })
  const ready = openApp().then(
    () => undefined,
    () => undefined,
  )

  async function handler(event: unknown, context: LambdaContext): Promise<InferenceAnswer> {
    const call = InferenceCall.safeParse(event)
    const app = call.success
      ? await openApp().catch((error: unknown) => failingApp(log, error, []))
      : failingApp(
          log,
          new AppError("invalid_request", "The payload must be {path, body}, with a path like /embed"),
          [],
        )
    const { path, body, ...origin } = call.success ? call.data : { path: "/", body: null }
    const request = new Request(
      new URL(path, "http://localhost"),
      body === undefined || body === null ? {} : post(body),
    )
    tell(request.headers, origin)
    return observeInvocation(log, async () => {
      const response = await app.request(request, {}, { lambdaContext: context })
      return { status: response.status, body: await response.json() }
    })
  }

  return {
    handler,
    /** When the models are there, or couldn't be opened. */
    ready,
  }
}

/** As whoever calls over HTTP would say for whom this works. */
function tell(headers: Headers, { requestId, traceparent }: Origin): void {
  if (requestId !== undefined) headers.set("x-request-id", requestId)
  if (traceparent !== undefined) headers.set("traceparent", traceparent)
}

function post(body: unknown) {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
}

/** Lambda would drop an answer that is too large, and say nothing of how large it may be. */
const boundedAnswer: MiddlewareHandler<Edge> = async (c, next) => {
  await next()
  const text = await c.res.text()
  const bytes = Buffer.byteLength(text)
  if (bytes > ANSWER_BYTES_MAX) {
    throw new AppError(
      "payload_too_large",
      `The answer has ${bytes} bytes, more than the ${ANSWER_BYTES_MAX} that Lambda takes: send fewer texts at once`,
    )
  }
  c.res = new Response(text, c.res)
}
