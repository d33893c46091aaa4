import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createJsonClient, type JsonCall } from "./json-client.ts"

let call: JsonCall
const server = createServer(({ url }, answer) => {
  answer.writeHead(url === "/missing" ? 404 : url === "/nothing" ? 204 : 200)
  answer.end(url === "/json" ? '{"found":1}' : "")
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  call = createJsonClient({ name: "It", baseUrl, headers: {}, keySetting: "KEY" })
})
afterAll(() => server.close())

const ask = (path: string) => call("DELETE", path, undefined, AbortSignal.timeout(5_000), [404])

test("a success without a body is no failure, and no missing one either", async () => {
  expect(await ask("/json")).toEqual({ found: 1 })
  expect(await ask("/empty")).toBeUndefined()
  expect(await ask("/nothing")).toBeUndefined()
  expect(await ask("/missing")).toBeNull()
})
