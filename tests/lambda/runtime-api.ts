import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What the function made of an event. */
export interface LambdaResult {
  /** What it returned; null of a function that streams, or that failed. */
  readonly payload: unknown
  /** The bytes it sent: JSON or, of a function that streams, its prelude, eight zeros and its body. */
  readonly body: Buffer
  /** Why it failed, as Lambda puts it: the error's name, `Runtime.ExitError`, `Sandbox.Timedout`; null where it didn't. */
  readonly error: { readonly errorType: string; readonly errorMessage: string } | null
}

interface Invocation {
  readonly id: string
  readonly event: unknown
  readonly resolve: (result: LambdaResult) => void
}

/** The Runtime API (docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html), as far as a runtime asks for it. */
export interface RuntimeApi {
  /** `host:port`, for AWS_LAMBDA_RUNTIME_API. */
  readonly address: string
  /** Hands the event to the runtime when that asks for one. */
  invoke(event: unknown): Promise<LambdaResult>
  /** Ends what is being worked on with this error, as when its process is gone. */
  fail(errorType: string, errorMessage: string): void
  close(): Promise<void>
}

const PREFIX = "/2018-06-01/runtime"

/** Starts it on a free port of this machine; `timeoutMs` is the deadline that the function is told. */
export async function startRuntimeApi(timeoutMs: number): Promise<RuntimeApi> {
  const queued: Invocation[] = []
  const underway = new Map<string, Invocation>()
  let waiting: ServerResponse | null = null
  /** Why the function's import failed; its process ends next. */
  let initError: LambdaResult["error"] = null

  function handOut(): void {
    const next = waiting && queued.shift()
    if (!waiting || !next) return
    underway.set(next.id, next)
    waiting.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": next.id,
      "lambda-runtime-deadline-ms": String(Date.now() + timeoutMs),
      "lambda-runtime-invoked-function-arn": "arn:aws:lambda:eu-central-1:123456789012:function:tested",
    })
    waiting.end(JSON.stringify(next.event))
    waiting = null
  }

  function end(id: string, result: LambdaResult): void {
    underway.get(id)?.resolve(result)
    underway.delete(id)
  }

  function fail(errorType: string, errorMessage: string): void {
    const error = initError ?? { errorType, errorMessage }
    initError = null
    for (const { resolve } of [...underway.values(), ...queued.splice(0)]) {
      resolve({ payload: null, body: Buffer.alloc(0), error })
    }
    underway.clear()
    waiting = null
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").slice(PREFIX.length)
    if (path === "/invocation/next") {
      waiting = response
      handOut()
      return
    }
    const body = await bytesOf(request)
    response.writeHead(202, { "content-type": "application/json" }).end('{"status":"OK"}')
    const [, id = "", outcome] = /^\/invocation\/([^/]+)\/(response|error)$/.exec(path) ?? []
    if (path === "/init/error" || outcome === "error") {
      const { errorType = "Error", errorMessage = "" } = JSON.parse(body.toString("utf8"))
      if (outcome === "error") end(id, { payload: null, body, error: { errorType, errorMessage } })
      else initError = { errorType, errorMessage }
    } else if (outcome === "response") {
      const isStreamed = request.headers["lambda-runtime-function-response-mode"] === "streaming"
      const payload = isStreamed || body.length === 0 ? null : JSON.parse(body.toString("utf8"))
      end(id, { payload, body, error: null })
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  // A function may stream for as long as it likes.
  server.requestTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    invoke: (event) =>
      new Promise((resolve) => {
        queued.push({ id: randomUUID(), event, resolve })
        handOut()
      }),
    fail,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
