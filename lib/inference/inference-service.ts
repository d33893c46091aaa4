import { setTimeout as sleep } from "node:timers/promises"
import type * as z from "zod"
import { currentOrigin, stage } from "../activity.ts"
import { AppError } from "../errors.ts"

interface InferenceServiceOptions {
  /** Which setting names the service, for messages: `EMBEDDING_BASE_URL`. */
  readonly setting: string
  /** Without a slash at its end: `https://openrouter.ai/api/v1`. */
  readonly baseUrl: string
  /** Sent as a bearer token; never in a message. */
  readonly apiKey?: string | undefined
  /** It is ours, and is told for which request it works. */
  readonly isOurs?: boolean
  /** How long one attempt may take, when the caller's signal allows more; 30 s when not given. */
  readonly attemptTimeoutMs?: number
  /** How long all attempts of a call may take, with the waits between them; a wait that would end later isn't begun. */
  readonly callTimeoutMs?: number
  /** Longest answer that is read; 64 MB when not given. */
  readonly answerBytesMax?: number
  /** Sends one attempt in place of an HTTP request to `baseUrl`. */
  readonly send?: Send
  /** Wait before the second attempt, doubled for each later one; 250 ms when not given. */
  readonly backoffMs?: number
}

/** Sends JSON text to a path of the service. */
export type Send = (path: string, body: string, signal: AbortSignal) => Promise<Response>

/**
 * Reads a body that comes in parts. It calls `begin` at the first part that counts: before it an attempt that breaks off
 * is made again, after it the reader decides what its error is.
 */
export type StreamReader<T> = (parts: AsyncIterable<Uint8Array>, begin: () => void) => Promise<T>

/** Posts JSON to a model behind HTTP. */
export interface InferenceService {
  /** Where it answers, for people. */
  readonly host: string
  /**
   * The parsed answer. Attempts that end in 429, a 5xx or no answer are repeated up to three times, after what
   * Retry-After asks for (30 s at most) or else twice as long as before. A wait ends with the signal.
   *
   * @throws AppError `inference_unavailable` naming the service; the signal's reason when it aborts
   */
  post<T>(path: string, body: unknown, answer: z.ZodType<T>, signal?: AbortSignal): Promise<T>
  /**
   * What `read` makes of the answer while it comes, with the same attempts. The body that it reads ends at the bytes of
   * the longest answer.
   *
   * @throws what `read` throws once it has begun; else as `post`
   */
  stream<T>(path: string, body: unknown, read: StreamReader<T>, signal?: AbortSignal): Promise<T>
}

const ATTEMPTS_MAX = 4
/** 128 vectors of 4,000 dimensions take 13 MB. */
const ANSWER_BYTES_MAX = 64_000_000
/** A service that asks for longer than this is down for the caller's purposes. */
const RETRY_AFTER_MS_MAX = 30_000

/** What an attempt ended in: the answer, or why there is none and whether another attempt may help. */
type Attempt<T> =
  | { readonly value: T }
  | {
      readonly problem: string
      readonly isPassing: boolean
      readonly retryAfterMs: number | null
      readonly cause?: unknown
    }

export function createInferenceService(options: InferenceServiceOptions): InferenceService {
  const { setting, baseUrl, backoffMs = 250, attemptTimeoutMs = 30_000, callTimeoutMs = Infinity } = options
  const host = new URL(baseUrl).host

  const failure = (problem: string, cause?: unknown) =>
    new AppError("inference_unavailable", `The model service at ${host} (${setting}) ${problem}.`, { cause })

  const call = <T>(path: string, body: unknown, read: StreamReader<T>, signal?: AbortSignal): Promise<T> =>
    stage("inference", () => callUntraced(path, body, read, signal), {
      kind: "client",
      // The setting names the service: its address may hold a customer's name.
      attributes: { "http.request.method": "POST", "url.template": path, "concordance.service": setting },
    })

  async function callUntraced<T>(path: string, body: unknown, read: StreamReader<T>, signal?: AbortSignal): Promise<T> {
    const endsAt = performance.now() + callTimeoutMs
    const leftMs = (): number => endsAt - performance.now()
    for (let attempt = 1; ; attempt++) {
      const timeoutMs = Math.max(1, Math.round(Math.min(attemptTimeoutMs, leftMs())))
      const outcome = await tryOnce(options, path, body, read, { signal, timeoutMs })
      if ("value" in outcome) return outcome.value
      const waitMs = outcome.retryAfterMs ?? backoffMs * 2 ** (attempt - 1)
      if (!outcome.isPassing || attempt === ATTEMPTS_MAX || waitMs > Math.min(RETRY_AFTER_MS_MAX, leftMs())) {
        throw failure(outcome.problem, outcome.cause)
      }
      await sleep(waitMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
    }
  }

  return {
    host,
    async post(path, body, answer, signal) {
      const parsed = answer.safeParse(await call(path, body, readJson, signal))
      if (parsed.success) return parsed.data
      throw failure(
        "answered in another shape than its protocol has: check that the URL is that of such a service",
        parsed.error,
      )
    },
    stream: (path, body, read, signal) => call(path, body, read, signal),
  }
}

async function readJson(parts: AsyncIterable<Uint8Array>): Promise<unknown> {
  const read: Uint8Array[] = []
  for await (const part of parts) read.push(part)
  return JSON.parse(Buffer.concat(read).toString("utf8"))
}

class TooLong extends Error {}

async function tryOnce<T>(
  {
    baseUrl,
    apiKey,
    answerBytesMax = ANSWER_BYTES_MAX,
    isOurs = false,
    send = overHttp(baseUrl, apiKey, isOurs),
  }: InferenceServiceOptions,
  path: string,
  body: unknown,
  read: StreamReader<T>,
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<Attempt<T>> {
  signal?.throwIfAborted()
  const timeout = AbortSignal.timeout(timeoutMs)
  let hasBegun = false
  try {
    const response = await send(path, JSON.stringify(body), signal ? AbortSignal.any([signal, timeout]) : timeout)
    if (!response.ok) {
      await response.body?.cancel()
      return refusal(response)
    }
    const value = await read(upTo(answerBytesMax, response), () => {
      hasBegun = true
    })
    return { value }
  } catch (error) {
    signal?.throwIfAborted()
    if (hasBegun) throw error
    const given = (problem: string): Attempt<T> => ({ problem, isPassing: false, retryAfterMs: null, cause: error })
    if (error instanceof TooLong) return given(`answered with more than ${answerBytesMax} bytes`)
    if (error instanceof SyntaxError) return given("answered with something that is not JSON")
    const problem = timeout.aborted ? `did not answer within ${timeoutMs} ms` : "can't be reached"
    return { problem, isPassing: true, retryAfterMs: null, cause: error }
  }
}

function overHttp(baseUrl: string, apiKey: string | undefined, isOurs: boolean): Send {
  return (path, body, signal) => {
    const { requestId, traceparent } = currentOrigin()
    return fetch(baseUrl + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...(traceparent !== undefined && { traceparent }),
        // A caller's own words: nothing for strangers.
        ...(isOurs && requestId !== undefined && { "x-request-id": requestId }),
      },
      body,
      signal,
      // A redirect could carry the key and the texts to another host.
      redirect: "error",
    })
  }
}

/** The body; what is left of one that is too long is not read. */
async function* upTo(bytesMax: number, { body }: Response): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > bytesMax) throw new TooLong()
    yield part
  }
}

/** The service's own words stay out of it: some repeat the text or the key they were sent. */
function refusal({ status, headers }: Response): Attempt<never> {
  const advice =
    status === 401 || status === 403
      ? ": it does not accept the API key"
      : status === 404
        ? ": check the URL and the model's name"
        : status === 413 || status === 422 || status === 400
          ? ": check the model's name, and whether it can do what is asked of it"
          : ""
  return {
    problem: `answered with status ${status}${advice}`,
    isPassing: status === 429 || status >= 500,
    retryAfterMs: retryAfterMs(headers.get("retry-after")),
  }
}

/** Retry-After holds seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}
