import { Writable } from "node:stream"
import { finished } from "node:stream/promises"
import { runInNewContext } from "node:vm"
import { rewriteRequest } from "../infra/routes.ts"

/** A request as API Gateway's HTTP API and Function URLs hand it to a Lambda (payload format 2.0). */
interface GatewayRequest {
  readonly method?: string
  /** With its query string. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface GatewayAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isBase64Encoded: boolean
}

/** The event of a request to the router's domain. Bytes come as base64, as API Gateway sends what isn't text. */
export function gatewayEvent({ method = "GET", path, headers = {}, body }: GatewayRequest) {
  const { pathname, search } = new URL(path, "http://x")
  const rawPath = throughRouter(pathname)
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString: search.slice(1),
    headers: { host: "abc123.execute-api.eu-central-1.amazonaws.com", "x-forwarded-for": "203.0.113.7", ...headers },
    requestContext: {
      accountId: "123456789012",
      apiId: "abc123",
      domainName: "abc123.execute-api.eu-central-1.amazonaws.com",
      domainPrefix: "abc123",
      http: {
        method,
        path: rawPath,
        protocol: "HTTP/1.1",
        sourceIp: "203.0.113.7",
        userAgent: "test",
      },
      requestId: "JKJaXmPLvHcESHA=",
      routeKey: "$default",
      stage: "$default",
      time: "30/Nov/2026:08:00:00 +0000",
      timeEpoch: 1_796_025_600_000,
      authentication: null,
    },
    body: body === undefined ? null : typeof body === "string" ? body : Buffer.from(body).toString("base64"),
    isBase64Encoded: body !== undefined && typeof body !== "string",
  }
}

/** What a Lambda gets of a path: CloudFront runs the router's code, and API Gateway decodes once. */
function throughRouter(path: string): string {
  const event = { request: { uri: path } }
  runInNewContext(rewriteRequest, { event })
  return decodeURIComponent(event.request.uri)
}

/** What Lambda's runtime gives to code that streams: `awslambda`. The handler's answer is what was streamed. */
export function streamingRuntime() {
  class ResponseStream extends Writable {
    answer: Omit<GatewayAnswer, "isBase64Encoded"> = { statusCode: 200, headers: {}, body: "" }
    override _write(part: Buffer, _: string, done: () => void) {
      this.answer = { ...this.answer, body: this.answer.body + part.toString("utf8") }
      done()
    }
  }
  return {
    streamifyResponse:
      (handle: (event: unknown, stream: ResponseStream, context: unknown) => Promise<void>) =>
      async (event: unknown, context: unknown) => {
        const stream = new ResponseStream()
        await handle(event, stream, context)
        await finished(stream)
        return stream.answer
      },
    HttpResponseStream: {
      from(stream: ResponseStream, metadata: Pick<GatewayAnswer, "statusCode" | "headers">) {
        stream.answer = { ...metadata, body: "" }
        return stream
      },
    },
  }
}

/** What Lambda tells a handler of an invocation that still has `leftMs`. */
export function lambdaContext(leftMs = 29_000) {
  const endsAt = performance.now() + leftMs
  return {
    awsRequestId: "8f5c1a52-0000-4000-8000-000000000001",
    functionName: "test",
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, endsAt - performance.now()),
  }
}
