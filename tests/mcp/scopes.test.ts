import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { afterAll, describe, expect, test } from "vitest"
import { createTestApp } from "../../functions/http/test-app.ts"
import { KeyScope } from "../../lib/keys/api-key.ts"
import { createMcpServers } from "../../lib/mcp/create-mcp-server.ts"
import { createMcpTools } from "../../lib/mcp/mcp-tools.ts"

// The list of tools is the server's own, so that a new one without a scope, or with one that reading doesn't need, fails
// here. A caller comes past no route: what carries the server may forget to ask for a scope.

const opened: Client[] = []
afterAll(() => Promise.all(opened.map((client) => client.close())))

/** A client whose key has these scopes. */
async function connect(scopes: readonly KeyScope[]) {
  const { parts, reached } = createTestApp()
  const createServer = createMcpServers({ ...parts, answer: parts.answers.answer })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: "test", version: "1" })
  const server = createServer({ id: "k", tenants: ["acme"], scopes })
  await Promise.all([server.connect(ours as never), client.connect(theirs)])
  opened.push(client)
  return { client, reached }
}

const { parts } = createTestApp()
const tools = createMcpTools({ ...parts, answer: parts.answers.answer })
const without = (scope: KeyScope) => KeyScope.options.filter((other) => other !== scope)

test("the tools that are listed are those that are tested here", async () => {
  const { client } = await connect(["search"])
  const listed = (await client.listTools()).tools
  expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
  // What changes nothing needs no more than to read; a tool that does has another scope, and doesn't say that it only reads.
  for (const { name, annotations } of listed) {
    const scope = tools.find((tool) => tool.name === name)?.scope
    expect([name, annotations?.readOnlyHint]).toEqual([name, scope === "search"])
  }
})

describe.each(tools.map((tool) => [tool.name, tool] as const))("%s", (name, { scope }) => {
  test("is forbidden to a key with every scope but its own, before its arguments are looked at", async () => {
    expect(KeyScope.options).toContain(scope)
    const { client, reached } = await connect(without(scope))
    const result = await client.callTool({ name, arguments: { nonsense: 1 } })
    expect(result).toMatchObject({ isError: true, content: [{ text: `forbidden: ${lacks(scope)}` }] })
    expect(reached).toEqual([])
  })

  test("is open to a key with its scope alone", async () => {
    const { client } = await connect([scope])
    const result = await client.callTool({ name, arguments: {} })
    expect(JSON.stringify(result)).not.toContain("forbidden")
  })
})

test("a key that can't search reads and completes no resource", async () => {
  const { client, reached } = await connect(without("search"))
  for (const uri of ["doc://a/p001#c0001", "doc://a#c0001", "doc://a/p001"]) {
    await expect(client.readResource({ uri })).rejects.toThrow(lacks("search"))
  }
  const ref = { type: "ref/resource", uri: "doc://{doc}/{page}" } as const
  await expect(client.complete({ ref, argument: { name: "doc", value: "a" } })).rejects.toThrow(lacks("search"))
  expect(reached).toEqual([])
})

function lacks(scope: KeyScope): string {
  return `This needs the scope "${scope}", which the API key does not have`
}
