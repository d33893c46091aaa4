import { isIP } from "node:net"
import type { Context } from "hono"
import type { Edge } from "./edge.ts"

interface ClientAddressOptions {
  /** Address at the other end of the connection. */
  readonly peerAddress: (c: Context<Edge>) => string | undefined
  /** How many proxies of the operator's stand in front (TRUSTED_PROXIES). */
  readonly trustedProxies: number
}

/**
 * Address of whoever calls: the peer's, or with `trustedProxies` the one that the farthest of them saw, counted from the
 * end of X-Forwarded-For. What stands before it in there, any caller can write. A platform that adds its own peer to the
 * list (API Gateway) adds it once. `undefined` where nobody knows.
 */
export function clientAddress(
  c: Context<Edge>,
  { peerAddress, trustedProxies }: ClientAddressOptions,
): string | undefined {
  const peer = bareAddress(peerAddress(c))
  if (trustedProxies === 0) return peer
  const forwarded = (c.req.header("x-forwarded-for") ?? "").split(",").map(bareAddress)
  if (c.env?.lambdaContext && forwarded.at(-1) === peer) forwarded.pop()
  // A list that is too short came past a proxy: then nobody but the peer is known.
  return forwarded.at(-trustedProxies) ?? peer
}

/** An IP address without a port or brackets, IPv4 out of its IPv6 form; `undefined` for what is none. */
function bareAddress(text: string | undefined): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|(.+))$/.exec(text?.trim() ?? "") ?? []
  const address = (bracketed ?? plain ?? "").replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1").replace(/^::ffff:(?=\d+\.)/i, "")
  return isIP(address) === 0 ? undefined : address
}

/** Whom failures are counted for: an IPv4 address, or the /64 of an IPv6 one, all of which one caller usually has. */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = "", tail] = address.split("%")[0]?.toLowerCase().split("::") ?? []
  const before = head.split(":").filter(Boolean)
  const after = tail?.split(":").filter(Boolean) ?? []
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0")
  const groups = [...before, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ""))
  return `${groups.join(":")}::/64`
}
