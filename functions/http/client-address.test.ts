import { Hono } from "hono"
import { expect, test } from "vitest"
import { addressBlock, clientAddress } from "./client-address.ts"
import type { Edge } from "./edge.ts"

async function addressOf(
  peer: string | undefined,
  trustedProxies: number,
  forwarded?: string,
  env: Edge["Bindings"] = {},
): Promise<string> {
  const app = new Hono<Edge>()
  app.get("/", (c) => c.text(clientAddress(c, { peerAddress: () => peer, trustedProxies }) ?? "nobody"))
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  return (await app.request("/", { headers }, env)).text()
}

const PEER = "10.0.0.9"
const LAMBDA = { lambdaContext: { awsRequestId: "r", getRemainingTimeInMillis: () => 1 } }

test.each([
  ["no proxy is trusted", 0, "203.0.113.1", PEER],
  ["one proxy saw it", 1, "6.6.6.6, 203.0.113.1", "203.0.113.1"],
  ["two proxies saw it", 2, "6.6.6.6, 203.0.113.1, 10.0.0.8", "203.0.113.1"],
  ["the caller came past a proxy", 2, "203.0.113.1", PEER],
  ["no header came", 1, undefined, PEER],
  ["what a proxy wrote is no address", 1, "203.0.113.1, <script>", PEER],
  ["a proxy wrote a port", 1, "203.0.113.1:4711", "203.0.113.1"],
  ["a proxy wrote a port of IPv6", 1, "[2001:db8::1]:4711", "2001:db8::1"],
  ["a proxy wrote IPv4 as IPv6", 1, "::ffff:203.0.113.1", "203.0.113.1"],
])("where %s", async (_, trusted, forwarded, address) => {
  expect(await addressOf(PEER, trusted, forwarded)).toBe(address)
})

test("on Lambda the address is the platform's, which it repeats at the list's end", async () => {
  expect(await addressOf("203.0.113.1", 0, "6.6.6.6, 203.0.113.1", LAMBDA)).toBe("203.0.113.1")
  expect(await addressOf("130.176.0.1", 1, "6.6.6.6, 203.0.113.1, 130.176.0.1", LAMBDA)).toBe("203.0.113.1")
  // Past CloudFront, to the API's own address.
  expect(await addressOf("203.0.113.1", 1, "203.0.113.1", LAMBDA)).toBe("203.0.113.1")
})

test("without a peer nobody is known", async () => {
  expect(await addressOf(undefined, 0, "203.0.113.1")).toBe("nobody")
})

test.each([
  ["203.0.113.1", "203.0.113.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["1:2:3::192.0.2.1", "1:2:3:0::/64"],
])("%s counts as %s", (address, block) => {
  expect(addressBlock(address)).toBe(block)
})
