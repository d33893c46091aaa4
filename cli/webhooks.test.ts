import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { concordance } from "../tests/run-concordance.ts"
import { startReceiver, taken } from "../tests/webhook-receiver.ts"

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "concordance-webhooks-"))
  vi.stubEnv("CONCORDANCE_HOME", home)
  vi.stubEnv("WEBHOOK_HOSTS", "127.0.0.1")
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(home, { recursive: true })
})

// Each command opens the embedded database anew, which takes 10 s on a machine that does much else.
test("what the command could not deliver waits, and it says who looks at it and how to send it now", {
  timeout: 240_000,
}, async () => {
  const receiver = await startReceiver()
  const added = await concordance("webhooks", "add", receiver.url, "--tenant", "acme", "--json")
  const { endpoint } = JSON.parse(added.out) as { readonly endpoint: { readonly id: string } }
  receiver.behave((_request, response) => response.writeHead(500).end())
  const tried = await concordance("webhooks", "test", endpoint.id)
  expect(tried).toMatchObject({ status: 1, out: expect.stringMatching(/pending\n.*1 attempt; status 500/) })
  expect(tried.err).toMatch(/no timer looks at it.*next event.*next start of a server.*webhooks replay/)
  receiver.behave(taken)
  const replayed = await concordance("webhooks", "replay", tried.out.split(" ")[0] ?? "")
  expect(replayed).toMatchObject({ status: 0, out: expect.stringContaining("delivered"), err: "" })
  await receiver.close()
})
