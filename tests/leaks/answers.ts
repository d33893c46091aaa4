import type { Served } from "../served.ts"
import type { WireRequest } from "./probe.ts"

/** What came back, whole. */
export interface Answered {
  readonly status: number
  readonly headers: string
  readonly body: string
}

/** Sends a request with a key, or without one. */
export async function send(served: Served, request: WireRequest, key?: string): Promise<Answered> {
  const { method, path, body } = request
  const headers = { ...request.headers, ...(key !== undefined && { "x-api-key": key }) }
  const response = await served.send(method, path, body?.(), headers)
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).sort()
  const bytes = Buffer.from(await response.arrayBuffer())
  const isText = /json|text|event-stream/.test(response.headers.get("content-type") ?? "text")
  return { status: response.status, headers: lines.join("\n"), body: bytes.toString(isText ? "utf8" : "base64") }
}

/** Shortest of what was sent that is taken out of an answer: `1` may stand there for other reasons. */
const ECHO_CHARS_MIN = 8

/**
 * The answer without what differs between any two, the request's id, how long it took and in which stages (the process remembers keys
 * and models for seconds), and without what was sent.
 */
export function settled({ status, headers, body }: Answered, sent: readonly string[]): string {
  const text = `${status}\n${headers}\n\n${body}`
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, "<id>")
    .replace(/^server-timing: .*$/m, "server-timing: <stages>")
    .replace(/[\d.]+ ms\b/g, "<ms>")
    .replace(/(\\?"(?:ms|took_ms|total_ms|latency_ms|uptime_s)\\?":\s*)[\d.]+/g, "$1<ms>")
  const echoes = sent.filter((each) => each.length >= ECHO_CHARS_MIN).sort((a, b) => b.length - a.length)
  return echoes.reduce((rest, echo) => rest.replaceAll(echo, "<sent>"), text)
}
