import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { describe, expect, test } from "vitest"
import { createChromaIndex } from "../../lib/indexes/chroma/chroma-index.ts"
import { startChroma } from "../../lib/indexes/chroma/start-chroma.ts"
import { describeBehaviour, type IndexSubject } from "./behaviour.ts"
import { hasChroma, startTestChroma } from "./chroma-server.ts"
import { startSocketServer } from "./silent-server.ts"

/** Chroma keeps no keys of its own since 1.0: a proxy in front of it does, as people set it up. */
async function startGate(url: string, key: string): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    if (incoming.headers["x-chroma-token"] !== key) return outgoing.writeHead(401).end('{"error":"no"}')
    const parts: Buffer[] = []
    incoming.on("data", (part: Buffer) => parts.push(part))
    incoming.on("end", () => {
      const { method = "GET", url: path } = incoming
      const body = method === "GET" || method === "DELETE" ? {} : { body: Buffer.concat(parts) }
      fetch(`${url}${path}`, { method, headers: { "content-type": "application/json" }, ...body }).then(
        async (answer) => outgoing.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer())),
        () => incoming.socket.destroy(),
      )
    })
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

async function openSubject(): Promise<IndexSubject> {
  const chroma = await startTestChroma()
  const gate = await startGate(chroma.url, "right-key")
  const silent = await startSocketServer()
  const gated = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`
  const at = (url: string, apiKey: string) => createChromaIndex({ url, apiKey, collection: "c01" })
  return {
    open: async (collection) => createChromaIndex({ url: `${gated}/`, apiKey: "right-key", collection }),
    away: () => at("http://127.0.0.1:1", "right-key"),
    refused: () => at(gated, "wrong-key"),
    silent: () => at(`http://127.0.0.1:${silent.port}`, "right-key"),
    async close() {
      gate.closeAllConnections()
      gate.close()
      await silent.close()
      await chroma.stop()
    },
  }
}

if (hasChroma) describeBehaviour("chroma", openSubject)
else
  describe.skip("chroma: its server isn't here; npm run chroma:install", () =>
    test("", () => expect(hasChroma).toBe(true)))

test("a Chroma that isn't installed is told when it is to be started", async () => {
  await expect(startChroma(tmpdir(), ["no-such-command"])).rejects.toMatchObject({ code: "invalid_configuration" })
})
