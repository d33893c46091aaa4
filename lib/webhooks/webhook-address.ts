import { BlockList, isIP } from "node:net"
import { invalidField } from "../errors.ts"
import { isLoopbackHost } from "../loopback.ts"

/** The registries of special addresses of IANA: what is none of the internet's. */
const SPECIAL_4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const
/** Within 2000::/3. Teredo and 6to4 hold an IPv4 address, which may be anybody's. */
const SPECIAL_6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const

const special = new BlockList()
for (const [net, bits] of SPECIAL_4) special.addSubnet(net, bits, "ipv4")
for (const [net, bits] of SPECIAL_6) special.addSubnet(net, bits, "ipv6")
const global6 = new BlockList()
global6.addSubnet("2000::", 3, "ipv6")

/** Whether an address is one of the open internet: not private, link-local, loopback, of a cloud's metadata, or reserved. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !special.check(address, "ipv4")
  return version === 6 && global6.check(address, "ipv6") && !special.check(address, "ipv6")
}

/** Where a delivery may go, and how its host becomes an address. */
export interface WebhookAddress {
  readonly url: URL
  /** The host is an IP, or `localhost`, that the operator wrote out: the one way to an address that isn't public. */
  readonly isLiteral: boolean
}

/**
 * Checks an address against `WEBHOOK_HOSTS`: HTTPS, or HTTP to this machine, to a host that is listed. Throws `invalid_request`
 * that says what is wrong.
 */
export function checkWebhookUrl(text: string, hosts: readonly string[]): WebhookAddress {
  if (text.length > 2_000 || !URL.canParse(text)) throw invalidField("url", "must be a URL of at most 2000 characters")
  const url = new URL(text)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname))) {
    throw invalidField("url", "must start with https://; http:// is for this machine alone")
  }
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    throw invalidField("url", "must have no user, password or fragment: whoever gets it checks the signature")
  }
  const { hostname } = url
  if (!hosts.some((host) => (host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host))) {
    throw invalidField(
      "url",
      "its host is not one that the setting WEBHOOK_HOSTS lists: add it there first, for the server too",
    )
  }
  const isLiteral = hostname === "localhost" || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0
  return { url, isLiteral: isLiteral && hosts.includes(hostname) }
}
