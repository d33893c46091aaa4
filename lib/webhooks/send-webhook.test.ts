import { createServer } from "node:net"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type Receiver, startReceiver } from "../../tests/webhook-receiver.ts"
import { createSendWebhook, type ResolvedAddress } from "./send-webhook.ts"
import { checkWebhookUrl, isPublicAddress } from "./webhook-address.ts"

const MESSAGE = { headers: { "webhook-id": "msg_1" }, body: '{"type":"document.ready"}' }

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

/** Sends to this machine, which is listed. */
const local = (parts: { timeoutMs?: number; hosts?: string[] } = {}) =>
  createSendWebhook({ hosts: ["127.0.0.1", "localhost"], ...parts })

test("a body arrives as it is, with its headers", async () => {
  expect(await local()(receiver.url, MESSAGE)).toEqual({ status: 204, error: null })
  expect(receiver.received).toMatchObject([
    { path: "/hooks", body: MESSAGE.body, headers: { "webhook-id": "msg_1", "content-type": "application/json" } },
  ])
})

test("a redirect is not followed, wherever it leads", async () => {
  for (const status of [301, 302, 307, 308]) {
    receiver.behave(({ path }, response) => {
      if (path === "/hooks") response.writeHead(status, { location: "/elsewhere" }).end()
      else response.end()
    })
    expect(await local()(receiver.url, MESSAGE)).toMatchObject({ status, error: expect.stringContaining("redirect") })
  }
  expect(receiver.received.map(({ path }) => path)).toEqual(["/hooks", "/hooks", "/hooks", "/hooks"])
})

test("a name that resolves to a private address is not called, nor one of which only one address is private", async () => {
  const hidden: ResolvedAddress[][] = [
    [{ address: "127.0.0.1", family: 4 }],
    [{ address: "169.254.169.254", family: 4 }],
    [{ address: "::1", family: 6 }],
    [{ address: "::ffff:10.0.0.1", family: 6 }],
    [
      { address: "93.184.215.14", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ],
    [],
  ]
  for (const addresses of hidden) {
    const send = createSendWebhook({ hosts: ["hooks.example.org"], resolve: async () => addresses })
    const outcome = await send(`https://hooks.example.org:${receiver.port}/`, MESSAGE)
    expect(outcome).toEqual({ status: null, error: "the host's address is not a public one" })
  }
  expect(receiver.received).toEqual([])
})

test("a name is resolved once, and what is connected to is what was looked at", async () => {
  const asked: string[] = []
  const resolve = async (name: string): Promise<ResolvedAddress[]> => {
    asked.push(name)
    // Nobody listens there: a second question would find the receiver.
    return [{ address: asked.length === 1 ? "127.0.0.3" : "127.0.0.1", family: 4 }]
  }
  const send = createSendWebhook({ hosts: ["localhost"], resolve })
  expect(await send(`http://localhost:${receiver.port}/`, MESSAGE)).toMatchObject({ status: null })
  expect(asked).toEqual(["localhost"])
  expect(receiver.received).toEqual([])
})

test("hosts that are not listed, plain HTTP to others, and URLs with passwords are refused", () => {
  const hosts = ["hooks.example.org", "*.example.net", "localhost", "10.1.2.3", "*.2.4"]
  const good = ["https://hooks.example.org/a?b", "https://a.b.example.net", "https://10.1.2.3", "http://localhost:8080"]
  const bad = [
    "https://example.org",
    "https://evil-hooks.example.org",
    "https://hooks.example.org.evil.com",
    "https://example.net",
    "https://evilexample.net",
    "http://hooks.example.org",
    "http://10.1.2.3",
    "https://u:p@hooks.example.org",
    "https://evil.com@localhost",
    "ftp://hooks.example.org",
    "https://127.0.0.1",
    "nonsense",
  ]
  for (const url of good) expect(() => checkWebhookUrl(url, hosts), url).not.toThrow()
  for (const url of bad) expect(() => checkWebhookUrl(url, hosts), url).toThrow(/^url: /)
  // An address that a wildcard happens to fit is not one that the operator wrote out.
  expect(checkWebhookUrl("https://10.1.2.4", hosts).isLiteral).toBe(false)
  expect(checkWebhookUrl("https://10.1.2.3", hosts).isLiteral).toBe(true)
  // Other spellings of an address are that address.
  expect(checkWebhookUrl("https://0x0a.0x01.0x02.0x03", hosts).url.hostname).toBe("10.1.2.3")
})

test("an address of an inner network, of the machine or of a cloud's metadata is not public", () => {
  const inner = [
    ...["0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255"],
    ...["192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "fe80::1"],
    ...["fc00::1", "fd00:ec2::254", "64:ff9b::a00:1", "2002:7f00:1::", "2001::1", "2001:db8::1", "ff02::1", "x"],
  ]
  expect(inner.filter(isPublicAddress)).toEqual([])
  const outer = ["93.184.215.14", "172.32.0.1", "100.128.0.1", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "2a00::1"]
  expect(outer.filter((address) => !isPublicAddress(address))).toEqual([])
})

test("a receiver that never answers, resets, or answers with an error is told apart", async () => {
  receiver.behave(() => {})
  expect(await local({ timeoutMs: 200 })(receiver.url, MESSAGE)).toEqual({
    status: null,
    error: "no answer within 200 ms",
  })
  receiver.behave((_request, _response, incoming) => incoming.socket.resetAndDestroy())
  expect(await local()(receiver.url, MESSAGE)).toEqual({ status: null, error: "no answer (ECONNRESET)" })
  receiver.behave((_request, response) => response.writeHead(500).end("a secret of theirs"))
  expect(await local()(receiver.url, MESSAGE)).toEqual({ status: 500, error: "it answered 500" })
  const noAnswer = createServer((socket) => socket.end("SSH-2.0-OpenSSH\r\n"))
  await new Promise<void>((resolve) => noAnswer.listen(0, "127.0.0.1", resolve))
  const { port } = noAnswer.address() as { port: number }
  expect(await local()(`http://127.0.0.1:${port}/`, MESSAGE)).toMatchObject({ status: null })
  noAnswer.close()
})

test("of an answer 64 KB are read at most, and one without an end is still an answer", async () => {
  let written = 0
  receiver.behave((_request, response) => {
    response.writeHead(200)
    const write = () => {
      written += 16_384
      if (!response.destroyed && written < 100_000_000) response.write("x".repeat(16_384), write)
    }
    write()
  })
  expect(await local()(receiver.url, MESSAGE)).toEqual({ status: 200, error: null })
  // What lies in the buffers of both sockets was written and never read.
  expect(written).toBeLessThan(20_000_000)
  receiver.behave((_request, response) => void response.writeHead(200).write("and then nothing"))
  expect(await local({ timeoutMs: 200 })(receiver.url, MESSAGE)).toEqual({ status: 200, error: null })
})

test("who aborts gets the reason, and no outcome", async () => {
  receiver.behave(() => {})
  const stop = new AbortController()
  const sending = local()(receiver.url, MESSAGE, stop.signal)
  setTimeout(() => stop.abort(new Error("closing")), 50)
  await expect(sending).rejects.toThrow("closing")
})
