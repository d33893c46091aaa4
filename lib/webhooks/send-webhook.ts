import { lookup } from "node:dns/promises"
import { type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import type { LookupFunction, Socket } from "node:net"
import { AppError } from "../errors.ts"
import { checkWebhookUrl, isPublicAddress } from "./webhook-address.ts"

/** Longest attempt, from the question for the address to the end of the answer, ms. */
export const WEBHOOK_TIMEOUT_MS = 10_000
/** Of an answer no more is read, and nothing of it is kept. */
const ANSWER_BYTES_MAX = 65_536

/** An address as DNS gives it. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** What came of one attempt. `status` is null where there was no answer. */
export interface WebhookOutcome {
  readonly status: number | null
  /** Null where it was taken. In words of ours: nothing of the answer. */
  readonly error: string | null
}

/** One attempt at sending a body. Rejects where `signal` aborts, and for nothing else. */
export type SendWebhook = (
  url: string,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal?: AbortSignal,
) => Promise<WebhookOutcome>

interface SendWebhookParts {
  /** `WEBHOOK_HOSTS`. */
  readonly hosts: readonly string[]
  readonly resolve?: (hostname: string) => Promise<readonly ResolvedAddress[]>
  readonly timeoutMs?: number
}

const byDns = (hostname: string) => lookup(hostname, { all: true })

/**
 * Sends to listed hosts and to nobody else: the address is asked for once, looked at, and connected to as it is, so that a
 * name can't become another address in between; no redirect is followed, and no proxy asked.
 */
export function createSendWebhook({
  hosts,
  resolve = byDns,
  timeoutMs = WEBHOOK_TIMEOUT_MS,
}: SendWebhookParts): SendWebhook {
  return async (text, message, signal) => {
    signal?.throwIfAborted()
    const late = AbortSignal.timeout(timeoutMs)
    const either = signal ? AbortSignal.any([late, signal]) : late
    try {
      const { url, isLiteral } = checkWebhookUrl(text, hosts)
      const name = url.hostname.replace(/^\[|\]$/g, "")
      const addresses = await unlessAborted(resolve(name), either)
      // One that is not public among others is a trick, or a mistake that would depend on the order of answers.
      if (addresses.length === 0 || (!isLiteral && !addresses.every(({ address }) => isPublicAddress(address)))) {
        return { status: null, error: "the host's address is not a public one" }
      }
      const status = await post(url, message, pinned(addresses), either)
      return { status, error: failureOf(status) }
    } catch (error) {
      signal?.throwIfAborted()
      if (late.aborted) return { status: null, error: `no answer within ${timeoutMs} ms` }
      return { status: null, error: describe(error) }
    }
  }
}

/** DNS can't be stopped; what it says later is not waited for. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  const [first = { address: "", family: 4 }] = addresses
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses])
    else callback(null, first.address, first.family)
  }
}

/** The answer's status. Its body is read to its end, but no further than `ANSWER_BYTES_MAX`, and dropped. */
function post(
  url: URL,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  lookup: LookupFunction,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) }
    const settings = { method: "POST", headers: { ...all, "user-agent": "Concordance" }, lookup, signal, agent: false }
    let answered: number | null = null
    const took = (answer: IncomingMessage) => {
      const { statusCode = 0 } = answer
      answered = statusCode
      let bytes = 0
      answer.on("data", (part: Buffer) => {
        bytes += part.length
        if (bytes > ANSWER_BYTES_MAX) answer.destroy()
      })
      // Whatever ends it: the receiver has said whether it took the event.
      answer.on("error", () => resolve(statusCode))
      answer.on("close", () => resolve(statusCode))
    }
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, settings, took)
    request.on("error", (error) => (answered === null ? reject(error) : resolve(answered)))
    request.on("upgrade", ({ statusCode = 101 }: IncomingMessage, socket: Socket) => {
      socket.destroy()
      resolve(statusCode)
    })
    request.end(body)
  })
}

function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return "it answered with a redirect, which is not followed"
  return `it answered ${status}`
}

/** An error's code alone: its message may name addresses of an inner network. */
function describe(error: unknown): string {
  if (error instanceof AppError) return error.message
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? `no answer (${code})` : "no answer"
}
