import { AppError } from "../../lib/errors.ts"
import { printable } from "../terminal.ts"
import type { RequestFailure } from "./observe-fetch.ts"
import type { Target } from "./target.ts"

interface FailureFacts {
  readonly target: Target
  readonly during: "connect" | "call"
  readonly failure: RequestFailure | null
}

/** What kept a server from answering, as a sentence that says what to do. The key is in none of them. */
export function connectionFailure(cause: unknown, { target, during, failure }: FailureFacts): AppError {
  if (cause instanceof AppError) return cause
  const at = addressOf(target)
  if (failure?.kind === "network") return networkFailure(failure.code, target, cause)
  if (failure) return statusFailure(failure, target, cause)
  if (during === "connect") {
    return new AppError("not_found", `What answers at ${at} is no MCP server. Check --url.`, { cause })
  }
  if (/timed? ?out/i.test(cause instanceof Error ? cause.message : "")) {
    return new AppError("deadline_exceeded", `The server at ${at} said nothing for a minute. Try again.`, { cause })
  }
  return new AppError(
    "inference_unavailable",
    `The connection to ${at} broke off before the answer was there. If the server still runs, try again.`,
    { cause },
  )
}

/** Without a query, which may hold a token. */
const addressOf = ({ url }: Target): string => printable(`${url.origin}${url.pathname}`)

function networkFailure(code: string, { url }: Target, cause: unknown): AppError {
  const host = printable(url.host)
  return new AppError("inference_unavailable", networkWords(code, host), { cause })
}

function networkWords(code: string, host: string): string {
  if (code === "ECONNREFUSED") {
    return `Nothing answers at ${host}. Is the server started? "npm start" starts one here; --url names another.`
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return `There is no machine called ${host}, or no network. Check --url.`
  }
  if (/CERT|SIGNATURE|ISSUER/.test(code)) {
    return `The certificate of ${host} isn't one that Node trusts. NODE_EXTRA_CA_CERTS names a file with others.`
  }
  return `${host} can't be reached${code ? ` (${printable(code)})` : ""}. Is the server started, and --url right?`
}

function statusFailure(
  { status, retryAfterS }: Extract<RequestFailure, { kind: "status" }>,
  target: Target,
  cause: unknown,
): AppError {
  const { key, transport } = target
  const at = addressOf(target)
  if (status === 401) {
    const message =
      key === undefined
        ? 'The server wants a key. Put one in CONCORDANCE_KEY, or give --key; "concordance keys create" makes one.'
        : "The server doesn't take this key: it is unknown, revoked or expired. Check CONCORDANCE_KEY, or give --key."
    return new AppError("unauthorized", message, { cause })
  }
  if (status === 403) {
    return new AppError("forbidden", "This key may not search. It needs one with the scope search.", { cause })
  }
  if (status === 404 || status === 405) {
    const other = transport === "sse" ? "Servers on AWS have no SSE: leave out --sse." : "Check --url."
    return new AppError("not_found", `There is no MCP server at ${at}. ${other}`, { cause })
  }
  if (status === 429) {
    const when = retryAfterS === null ? "in a while" : `in ${retryAfterS} s`
    return new AppError("rate_limited", `The server has had too many requests. Try again ${when}.`, { cause })
  }
  return new AppError("internal", `The server at ${at} answered with HTTP ${status}. Its log has the reason.`, {
    cause,
  })
}
