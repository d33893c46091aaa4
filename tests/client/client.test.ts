import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile, rm, stat } from "node:fs/promises"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server"
import { Hono } from "hono"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { runMenu } from "../../cli/client/menu.ts"
import type { Prompts } from "../../cli/client/prompts.ts"
import { readTarget } from "../../cli/client/target.ts"
import { createServerTools } from "../../cli/client/tools.ts"
import { runCli } from "../../cli/run-cli.ts"
import type { Edge } from "../../functions/http/edge.ts"
import { openPort } from "../../functions/open-port.ts"
import { concordance, keepingTerminal } from "../run-concordance.ts"
import { serveAnswers } from "./serve-answers.ts"

// The client against the whole server on a port; the language model alone is a double.

let served: Awaited<ReturnType<typeof serveAnswers>>
beforeAll(async () => {
  served = await serveAnswers()
})
afterAll(() => served.close())
afterEach(() => {
  vi.unstubAllEnvs()
})

/** With the key in the variable, as the help advises. */
function client(...args: string[]) {
  vi.stubEnv("CONCORDANCE_KEY", served.keys.search)
  return concordance("client", ...args, "--url", served.url)
}

describe.each([["over HTTP"], ["over SSE", "--sse"]])("a question %s", (_, ...way) => {
  test("is answered with numbered sources, how far they bear it out, and status 0", async () => {
    const { status, out, err } = await client("Who", "kept the lighthouse?", ...way)
    expect({ status, err, out }).toEqual({
      status: 0,
      err: expect.stringMatching(/^Note: meaning: no embedding model is configured/),
      out: `Amaro Pinto kept it until 1957 [1].

Supported by its source.

Source
[1]  The keeper
     Amaro Pinto kept the lighthouse until 1957.`,
    })
  })

  test("shows the graph's steps as they come", async () => {
    vi.stubEnv("CONCORDANCE_KEY", served.keys.search)
    const { terminal, statuses } = keepingTerminal()
    await runCli(["client", "Who kept the lighthouse?", "--url", served.url, ...way], terminal)
    expect(statuses).toEqual(
      expect.arrayContaining(["Asking …", "Judging what was found: 3 of 3 relevant", "Writing the answer …"]),
    )
  })

  test("with --json prints the data alone", async () => {
    const { status, out, err } = await client("Who kept the lighthouse?", "--json", ...way)
    expect({ status, err }).toEqual({ status: 0, err: "" })
    expect(JSON.parse(out)).toMatchObject({
      answer: "Amaro Pinto kept it until 1957 [[keeper#c0001]].",
      citations: [{ id: "keeper" }],
      refused: false,
    })
  })

  test("that nothing answers is refused with status 3, with --json too", async () => {
    const question = "Which lighthouse was on Mars?"
    const told = await client(question, ...way)
    expect(told).toMatchObject({ status: 3, out: expect.stringMatching(/^I can't answer this .*\n\nRefused: /) })
    expect(told.out).not.toContain("Source")
    const data = await client(question, "--json", ...way)
    expect(data.status).toBe(3)
    expect(JSON.parse(data.out)).toMatchObject({ refused: true })
  })
})

test("a sentence that its source doesn't bear out is named", async () => {
  const { status, out } = await client("Who kept the lighthouse, if that is doubtful?")
  expect(status).toBe(0)
  expect(out).toContain("Supported: 1 of 2 sentences.\n  NOT supported: He was two metres tall")
})

test("text of documents and of the model can't control the terminal, nor in JSON", async () => {
  const question = "When did the attack on the quay come?"
  const { status, out } = await client(question)
  expect(status).toBe(0)
  expect(out).toContain("It came at night")
  expect(out).toContain("[1]  Attack")
  expect(out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u)
  const { out: json } = await client(question, "--json")
  expect(json.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u)
  expect(JSON.parse(json).citations[0].content).toContain("\u202eevil")
})

describe.each([["over HTTP"], ["over SSE", "--sse"]])(
  "what goes wrong %s is one sentence that says what to do",
  (_, ...way) => {
    test("a wrong key, none, and one that may not search, which are never printed", async () => {
      const wrong = await concordance("client", "hello", "--url", served.url, "--key", "cc_wrong", ...way)
      expect(wrong).toMatchObject({
        status: 1,
        out: "",
        err: expect.stringMatching(/^Error: .*doesn't take this key.*--key\.$/),
      })
      vi.stubEnv("CONCORDANCE_KEY", "")
      const none = await concordance("client", "hello", "--url", served.url, ...way)
      expect(none).toMatchObject({
        status: 1,
        err: expect.stringMatching(/^Error: The server wants a key.*CONCORDANCE_KEY/),
      })
      vi.stubEnv("CONCORDANCE_KEY", served.keys.index)
      const scope = await concordance("--verbose", "client", "hello", "--url", served.url, ...way)
      expect(scope).toMatchObject({ status: 1, err: expect.stringMatching(/^Error: This key may not search/) })
      expect(wrong.err + scope.err).not.toMatch(/cc_/)
    })

    test("a server that isn't there", async () => {
      const { status, out, err } = await concordance("client", "hello", "--url", "http://127.0.0.1:1", ...way)
      expect({ status, out }).toEqual({ status: 1, out: "" })
      expect(err).toMatch(/^Error: (Nothing answers at|127\.0\.0\.1:1 can't be reached).*Is the server started/)
    })

    test("a page that is no MCP server", async () => {
      vi.stubEnv("CONCORDANCE_KEY", served.keys.search)
      const { status, err } = await concordance("client", "hello", "--url", `${served.url}/documents`, ...way)
      expect(status).toBe(1)
      expect(err).toMatch(/^Error: There is no MCP server at http:\S+\/documents\/(mcp|sse)\./)
    })
  },
)

test.each([
  ["POST", []],
  ["GET", ["--sse"]],
] as const)("a stream by %s that breaks off is told within seconds", async (_, way) => {
  const { url, cut } = await breakable(served.url)
  vi.stubEnv("CONCORDANCE_KEY", served.keys.search)
  const began = served.llm.questions.filter(isSlow).length
  const told = concordance("client", "How slowly was the lighthouse kept?", "--url", url, ...way)
  await vi.waitFor(() => expect(served.llm.questions.filter(isSlow).length).toBeGreaterThan(began), 30_000)
  const cutAt = performance.now()
  cut()
  expect(await told).toMatchObject({
    status: 1,
    err: expect.stringMatching(/^Error: (The connection to .* broke off|Nothing answers)/),
  })
  expect(performance.now() - cutAt).toBeLessThan(5_000)
})

test("a server without the tool is named as what it isn't", async () => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "other", version: "1" })
    server.registerTool("weather\u001b[2J", {}, () => ({ content: [] }))
    return server
  })
  const other = await openPort(
    new Hono<Edge>().all("/mcp", (c) => handler.fetch(c.req.raw)),
    { host: "127.0.0.1", port: 0 },
  )
  const { status, err } = await concordance("client", "hello", "--url", other.url)
  await other.close()
  expect({ status, err }).toEqual({
    status: 1,
    err: "Error: This server has no tool rag_answer: is it a Concordance? It has weather [2J.",
  })
})

test("a question that is too long is told in the server's words", async () => {
  const { status, err } = await client("x".repeat(8_001))
  expect({ status, err }).toEqual({
    status: 1,
    err: "Error: The server says: question: must have at most 8000 characters",
  })
})

test.each([
  [[], /^Give a question, or run it in a terminal/],
  [["--json"], /^--json takes a question/],
])("%j without a question and a terminal is called in a wrong way", async (args, message) => {
  const { status, err } = await concordance("client", ...args)
  expect(status).toBe(2)
  expect(err).toMatch(message)
})

test.each([["ftp://127.0.0.1"], ["here"], ["http://user:secret@127.0.0.1:3825"]])(
  "--url %s is refused",
  async (url) => {
    const { status, err } = await concordance("client", "hello", "--url", url)
    expect(status).toBe(1)
    expect(err).toMatch(/^Error: --url must be an address/)
    expect(err).not.toContain("secret")
  },
)

test.each([
  ["http://127.0.0.1:3825", false, "http://127.0.0.1:3825/mcp"],
  ["https://docs.example.org/mcp", false, "https://docs.example.org/mcp"],
  ["https://example.org/docs/", true, "https://example.org/docs/sse"],
  ["https://docs.example.org/mcp", true, "https://docs.example.org/sse"],
])("--url %s with --sse %s is %s", (url, sse, endpoint) => {
  expect(readTarget({ url, sse }).url.href).toBe(endpoint)
})

describe.each([["over HTTP"], ["over SSE", "--sse"]])("Ctrl-C %s", (_, ...way) => {
  test("ends the call of the language model within 200 ms, and the command with 130", {
    timeout: 120_000,
  }, async () => {
    const args = ["cli/concordance.mjs", "client", "How slowly was the lighthouse kept?", "--url", served.url, ...way]
    vi.stubEnv("CONCORDANCE_KEY", served.keys.search)
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
    })
    const ended = once(child, "exit")
    const before = { asked: served.llm.questions.filter(isSlow).length, aborts: served.llm.aborts.length }
    await vi.waitFor(() => expect(served.llm.questions.filter(isSlow).length).toBeGreaterThan(before.asked), 60_000)
    const pressed = performance.now()
    child.kill("SIGINT")
    await vi.waitFor(() => expect(served.llm.aborts.length).toBeGreaterThan(before.aborts), 5_000)
    expect((served.llm.aborts.at(-1) ?? Infinity) - pressed).toBeLessThan(200)
    expect(await ended).toEqual([130, null])
  })
})

/** A port that passes everything on to the server, until all of it is cut. */
async function breakable(to: string) {
  const sockets: Socket[] = []
  const proxy = createServer((from) => {
    const onward = connect(Number(new URL(to).port), "127.0.0.1")
    for (const socket of [from, onward]) sockets.push(socket.on("error", () => undefined))
    from.pipe(onward).pipe(from)
  })
  await once(proxy.listen(0, "127.0.0.1"), "listening")
  const { port } = proxy.address() as AddressInfo
  const cut = () => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  }
  return { url: `http://127.0.0.1:${port}`, cut }
}

const isSlow = ({ name, user }: { readonly name: string; readonly user: string }) =>
  name === "text" && user.includes("slowly")

/** A person who answers each prompt in turn. */
function person(...answers: readonly (string | null)[]) {
  const prompted: string[] = []
  const left = [...answers]
  const next = (message: string) => {
    prompted.push(message)
    const answer = left.shift()
    if (answer === undefined) throw new Error(`nobody answers "${message}"`)
    return answer
  }
  const prompts: Prompts = {
    choose: async (message, choices) => {
      const answer = next(message)
      expect([null, ...choices.map(({ value }) => value)]).toContain(answer)
      return answer as never
    },
    ask: async (message) => next(message),
  }
  return { prompts, prompted }
}

describe("the menu", () => {
  async function walk(...answers: (string | null)[]) {
    const opened: string[] = []
    const { terminal, out, err } = keepingTerminal()
    const { prompts, prompted } = person(...answers)
    const tools = createServerTools(readTarget({ url: served.url, key: served.keys.search }))
    const openFile = async (path: string) => opened.push(path) > 0
    await runMenu({ tools, prompts, terminal, openFile })
    return { out: out.join("\n"), err: err.join("\n"), prompted, opened }
  }

  test("searches, tells of the server and its tools, in 80 columns", async () => {
    const { out } = await walk("search", "lighthouse", null, "health", "tools", "exit")
    expect(out).toContain("[[keeper#c0001]]")
    expect(out).toMatch(/^concordance \d.*: ok\n {2}database {2}ok/m)
    expect(out).toMatch(/^rag_answer +Answer a question with proof$/m)
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
  })

  test("understands a follow-up by what was said before", async () => {
    const { out } = await walk("ask", "Who kept the lighthouse?", "follow", "And until when?", "back", null)
    expect(out.match(/Amaro Pinto kept it until 1957 \[1\]/g)).toHaveLength(2)
    const asked = served.llm.questions.filter(({ name }) => name === "rewritten_question").at(-1)
    expect(asked?.user).toContain("Who kept the lighthouse?")
    expect(asked?.user).toContain("And until when?")
  })

  test("writes the picture of a source where its owner alone reads it, and opens it", async () => {
    const { out, opened } = await walk(
      "ask",
      served.pictured.split(/\s+/).slice(0, 20).join(" "),
      "picture",
      "back",
      "exit",
    )
    const [path = ""] = opened
    expect(out).toContain(`Opened, and kept at\n${path}`)
    expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG")
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await rm(join(path, ".."), { recursive: true })
  })

  test("says what went wrong, and lets the question be mended", async () => {
    const { err, prompted } = await walk("ask", "x".repeat(8_001), null, "exit")
    expect(err).toMatch(/^Error: The server says: question: must have at most/)
    expect(prompted).toEqual([
      "What would you like to do?",
      "Question (Esc goes back)",
      "Question (Esc goes back)",
      "What would you like to do?",
    ])
  })
})
