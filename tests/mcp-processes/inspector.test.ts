import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parseConfig } from "../../lib/config.ts"
import { createLog } from "../../lib/log.ts"
import { openRuntime } from "../../lib/runtime/open-runtime.ts"
import { loadTenants, type ServedMcp, serveMcp } from "../mcp/serve-mcp.ts"
import { runProgram } from "./run-program.ts"

// The official inspector's command line, as people try a server out: a process a call, over each transport.
// `npm run mcp:install` puts it there.

const INSPECTOR = ".ci/inspector/node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js"

/** A server over stdio opens its database first: 2 s of two idle cores. */
const START_MS_MAX = 90_000

let served: ServedMcp
let home: string
beforeAll(async () => {
  served = await serveMcp()
  home = await mkdtemp(join(tmpdir(), "concordance-inspected-"))
  const config = parseConfig({ CONCORDANCE_HOME: home, EMBEDDING_MODEL: "none" })
  const runtime = await openRuntime(config, { log: createLog({ level: "error", write: () => undefined }) })
  await loadTenants(runtime)
  await runtime.close()
})
afterAll(async () => {
  await served.close()
  await rm(home, { recursive: true, force: true })
})

const TARGETS = {
  HTTP: () => [`${served.url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${served.keys.left}`],
  SSE: () => [`${served.url}/sse`, "--transport", "sse", "--header", `Authorization: Bearer ${served.keys.left}`],
  stdio: () => [
    ...["node", "cli/concordance.mjs", "mcp", "--tenant", "left"],
    ...["-e", `CONCORDANCE_HOME=${home}`, "-e", "EMBEDDING_MODEL=none"],
  ],
}

const CALLS: Readonly<Record<string, readonly string[]>> = {
  rag_answer: ["question=What is the secret of the harbour?"],
  retrieve: ["query=secret harbour", "top_k=2"],
  retrieve_documents: ["query=secret harbour", "expand_parents=false"],
  hybrid_search: ["query=rope", "language=en"],
  read_chunk: ["citation=[[same#c0001]]"],
  get_page_chunks: ["document_id=andorinha-inquiry-1934", "page=2"],
  list_anomalies: ["document_id=same"],
  list_documents: ["limit=2"],
  crop: ["document_id=andorinha-inquiry-1934"],
  server_health: [],
}

describe.each(Object.entries(TARGETS))("over %s the inspector", (_name, target) => {
  async function ask(method: string, ...args: string[]) {
    const options = ["--method", method, ...args, "--connect-timeout", String(START_MS_MAX)]
    // It keeps a catalogue in the home folder.
    const { out, err, status } = await runProgram(INSPECTOR, [...target(), ...options], { HOME: home })
    expect(status, err + out).toBe(0)
    return JSON.parse(out)
  }

  test("lists every tool, template and prompt", async () => {
    const { tools } = await ask("tools/list")
    expect(tools.map((tool: { name: string }) => tool.name).sort()).toEqual(Object.keys(CALLS).sort())
    const { resourceTemplates } = await ask("resources/templates/list")
    expect(resourceTemplates).toHaveLength(3)
    const { prompts } = await ask("prompts/list")
    expect(prompts).toMatchObject([{ name: "answer_with_citations" }])
  })

  test.each(Object.entries(CALLS))("calls %s", async (tool, given) => {
    const args = tool === "crop" ? [`citation=${served.pictured}`] : given
    const result = await ask("tools/call", "--tool-name", tool, ...args.flatMap((arg) => ["--tool-arg", arg]))
    const [first] = result.content
    expect(first.text).not.toBe("")
    expect(result.isError, first.text).toBeFalsy()
    expect(result.structuredContent).toBeTypeOf("object")
    if (tool === "crop") expect(result.content).toContainEqual(expect.objectContaining({ type: "image" }))
  })

  test("reads a passage", async () => {
    const { contents } = await ask("resources/read", "--uri", "doc://same#c0001")
    expect(contents).toMatchObject([{ mimeType: "text/plain", text: expect.stringContaining("left secret") }])
  })
})
