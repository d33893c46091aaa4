import type { Context } from "hono"
import { type SSEStreamingApi, streamSSE } from "hono/streaming"
import type { AnswerEvent, OnAnswerEvent } from "../../lib/answers/answer.ts"
import type { AnswerResponse } from "../../lib/answers/response.ts"
import type { Log } from "../../lib/log.ts"
import type { Edge } from "./edge.ts"
import { failure } from "./errors.ts"

/** Longest silence, ms: proxies end a connection after 30 to 60 s without a byte. */
const HEARTBEAT_MS = 10_000

/** What makes the answer, telling of its events; `signal` aborts when the caller leaves. */
export type Answering = (onEvent: OnAnswerEvent, signal: AbortSignal) => Promise<AnswerResponse>

/** Whether the caller wants the answer as it comes; `q=0` says that it doesn't. */
export function wantsEvents(c: Context<Edge>): boolean {
  const accepted = (c.req.header("accept") ?? "").toLowerCase().split(",")
  return accepted.some((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim())
    return type === "text/event-stream" && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
}

/**
 * The answer as server-sent events: `step`, `token`, `citation` as they happen, then `done` with what the JSON answer
 * would have been, or `error` with the problem. A comment is the heartbeat.
 */
export function streamAnswer(c: Context<Edge>, log: Log, answering: Answering): Response {
  const gone = new AbortController()
  // nginx would collect the events before it passes them on.
  c.header("X-Accel-Buffering", "no")
  const response = streamSSE(c, async (stream) => {
    stream.onAbort(() => gone.abort(new DOMException("The caller is gone", "AbortError")))
    const write = writerOf(stream)
    const heartbeat = setInterval(() => write.comment("still here"), HEARTBEAT_MS)
    try {
      write.event("done", await answering((event) => write.event(event.type, bodyOf(event)), gone.signal))
    } catch (thrown) {
      write.event("error", failure(c, log, thrown, gone.signal.aborted))
    } finally {
      clearInterval(heartbeat)
      await write.finished()
    }
  })
  // streamSSE's own `no-cache` lets a cache keep the answer.
  response.headers.set("Cache-Control", "no-store")
  return response
}

function bodyOf({ type: _, ...body }: AnswerEvent): object {
  return body
}

/** Writes one thing after the other; what a caller who is gone would have got goes nowhere. */
function writerOf(stream: SSEStreamingApi) {
  let last: Promise<unknown> = Promise.resolve()
  const after = (write: () => Promise<unknown>) => {
    last = last.then(() => (stream.aborted ? undefined : write())).catch(() => undefined)
  }
  return {
    event: (event: string, body: object) => after(() => stream.writeSSE({ event, data: JSON.stringify(body) })),
    comment: (text: string) => after(() => stream.write(`: ${text}\n\n`)),
    finished: () => last,
  }
}
