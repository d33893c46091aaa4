import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type ServedRoutes, serveRoutes } from "../mcp/serve-routes.ts"
import { addConformanceFixtures } from "./conformance-fixtures.ts"
import { runProgram } from "./run-program.ts"

// The official suite, against our server with the suite's own tools, resources and prompts beside ours.

const SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
const EXPECTED = "tests/mcp-processes/expected-failures.yaml"

let served: ServedRoutes
let results: string
beforeAll(async () => {
  results = await mkdtemp(join(tmpdir(), "concordance-conformance-"))
  const extend: Parameters<typeof serveRoutes>[0] = {
    policy: "loopback",
    extend: (create) => (principal) => addConformanceFixtures(create(principal)),
  }
  served = await serveRoutes(extend)
})
afterAll(async () => {
  await served.close()
  await rm(results, { recursive: true, force: true })
})

test("every scenario passes but those whose failure is expected, and all of those fail", async () => {
  const url = `${served.url}/mcp`
  const args = ["server", "--url", url, "--suite", "all", "--expected-failures", EXPECTED, "-o", results]
  const { out, err, status } = await runProgram(SUITE, args)
  expect(status, out + err).toBe(0)
  expect(out).toContain("Baseline check passed")
  // What is checked at all: a suite that finds no server would otherwise pass by its own list.
  expect(out.match(/^✓ /gm)?.length).toBeGreaterThanOrEqual(24)
})
