import { AsyncLocalStorage } from "node:async_hooks"
import type { Attributes, Metric, Span, SpanKind, Telemetry } from "./telemetry.ts"

/** How long a stage took, ms. */
export interface StageTime {
  readonly stage: string
  readonly ms: number
}

/** For whom this process is at work: what log lines, spans and calls to other services say of it. */
export interface Activity {
  /** Of the request that caused it; null where none did. */
  readonly requestId: string | null
  /** Null: nothing is traced or measured. */
  readonly telemetry: Telemetry | null
  /** The span under way. */
  readonly span: Span | null
  /** Where the outermost stages note their times, for `Server-Timing`; null within one of them. */
  readonly times: StageTime[] | null
}

/** What goes along with a message or a call, so that whoever gets it works for the same request. */
export interface Origin {
  readonly requestId?: string | undefined
  readonly traceparent?: string | undefined
}

/** An id that may come from outside: bounded, and nothing that could break a log line or a header. */
export const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/

const NONE: Activity = { requestId: null, telemetry: null, span: null, times: null }
const current = new AsyncLocalStorage<Activity>()

/** What the caller works for. Follows it through every `await`, timer and queue, without being passed. */
export const currentActivity = (): Activity => current.getStore() ?? NONE

/** Runs work for somebody. */
export const runActivity = <T>(activity: Activity, work: () => T): T => current.run(activity, work)

/** Runs work that whoever is at work now only happened to set off: it is no part of their request or trace. */
export const runBeside = <T>(work: () => T): T =>
  runActivity({ ...currentActivity(), requestId: null, span: null, times: null }, work)

/** What to send along; empty outside of a request and of a trace. */
export function currentOrigin(): Origin {
  const { requestId, span } = currentActivity()
  return { ...(requestId !== null && { requestId }), ...(span && { traceparent: span.traceparent }) }
}

interface SpanOptions {
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** Hears how long it took, ms, also of work that throws. */
  readonly onEnd?: (ms: number) => void
}

/**
 * Runs work that another process or an earlier request asked for, in a span of its own. An id that isn't decent is left out.
 */
export async function runFor<T>(
  { requestId, traceparent }: Origin,
  name: string,
  work: () => Promise<T>,
  { kind = "consumer", attributes = {} }: SpanOptions = {},
): Promise<T> {
  const { telemetry } = currentActivity()
  const span = telemetry?.startSpan(name, { kind, attributes, parent: traceparent ?? null }) ?? null
  const id = requestId !== undefined && REQUEST_ID.test(requestId) ? requestId : null
  return runActivity({ requestId: id, telemetry, span, times: null }, () => ended(span, work))
}

/**
 * Runs one stage of the work under way: one span and, of the outermost, one entry of `Server-Timing`. Both, and `onEnd`, say the
 * same time. The name and the attributes are ours, never of what is worked on.
 */
export async function stage<T>(
  name: string,
  work: (span: Span | null) => Promise<T> | T,
  { kind = "internal", attributes = {}, onEnd }: SpanOptions = {},
): Promise<T> {
  const { requestId, telemetry, span: parent, times } = currentActivity()
  const span = telemetry?.startSpan(name, { kind, attributes, parent }) ?? null
  const from = performance.now()
  try {
    const inner: Activity = { requestId, telemetry, span: span ?? parent, times: null }
    return await runActivity(inner, () => ended(span, async () => work(span)))
  } finally {
    const ms = performance.now() - from
    times?.push({ stage: name, ms })
    onEnd?.(ms)
  }
}

async function ended<T>(span: Span | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    span?.fail(failureOf(error))
    throw error
  } finally {
    span?.end()
  }
}

/** What a span says of an error: the code of ours, else its class. A message may repeat what it choked on. */
function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown"
  const name = error.name === "AppError" && "code" in error ? String(error.code) : error.name
  return /^\w{1,60}$/.test(name) ? name : "unknown"
}

/** Counts or measures, where somebody wants to know. */
export function measure(metric: Metric, value: number, attributes: Attributes = {}): void {
  currentActivity().telemetry?.measure(metric, value, attributes)
}
