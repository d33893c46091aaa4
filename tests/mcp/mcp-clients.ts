import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport as SseV1 } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

/** A result of a tool, as far as tests look at it. */
export interface ToolResult {
  readonly content: readonly {
    readonly type: string
    readonly text?: string
    readonly uri?: string
    readonly data?: string
    readonly mimeType?: string
  }[]
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into results of many shapes
  readonly structuredContent?: any
  readonly isError?: boolean
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { readonly progress: number; readonly message?: string | undefined }) => void
}

/** What clients of every SDK can do. */
export interface TestClient {
  tools(): Promise<readonly Record<string, unknown>[]>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>
  read(uri: string): Promise<string>
  templates(): Promise<readonly string[]>
  complete(template: string, begun: string): Promise<readonly string[]>
  prompt(name: string, args: Record<string, string>): Promise<string>
  close(): Promise<void>
}

/** Kinds of clients: an SDK, a transport, and of v2 over HTTP the protocol. */
export const KINDS = ["v1 over HTTP", "v1 over SSE", "v2 over HTTP, 2025", "v2 over HTTP, 2026", "v2 over SSE"] as const
export type Kind = (typeof KINDS)[number]

/** Connects such a client with a key. Throws what the SDK throws where it isn't let in. */
export async function connectClient(kind: Kind, url: string, key?: string): Promise<TestClient> {
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  const to = new URL(kind.endsWith("SSE") ? "/sse" : "/mcp", url)
  const about = { name: "test", version: "1.0.0" }
  if (kind.startsWith("v1")) {
    const client = new ClientV1(about)
    const transport = kind.endsWith("SSE")
      ? // oxlint-disable-next-line typescript/no-deprecated -- what old clients use is what is tested
        new SseV1(to, { requestInit: { headers } })
      : new HttpV1(to, { requestInit: { headers } })
    // Its own types don't allow for exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<ClientV1["connect"]>[0])
    return testClient({ ...common(client), call: (params, options) => client.callTool(params, undefined, options) })
  }
  const mode = kind.endsWith("2026") ? { pin: "2026-07-28" } : "legacy"
  const client = new Client(about, { versionNegotiation: { mode } })
  await client.connect(
    kind.endsWith("SSE")
      ? // oxlint-disable-next-line typescript/no-deprecated -- as above
        new SSEClientTransport(to, { requestInit: { headers } })
      : new StreamableHTTPClientTransport(to, { requestInit: { headers } }),
  )
  return testClient({ ...common(client), call: (params, options) => client.callTool(params, options) })
}

function common(client: Client | ClientV1) {
  return {
    listTools: () => client.listTools(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: (uri: string) => client.readResource({ uri }),
    complete: (uri: string, value: string) =>
      client.complete({ ref: { type: "ref/resource", uri }, argument: { name: "doc", value } }),
    getPrompt: (name: string, args: Record<string, string>) => client.getPrompt({ name, arguments: args }),
    close: () => client.close(),
  }
}

type Common = ReturnType<typeof common> & {
  call(params: { name: string; arguments: Record<string, unknown> }, options?: object): Promise<unknown>
}

function testClient(client: Common): TestClient {
  return {
    tools: async () => (await client.listTools()).tools as unknown as Record<string, unknown>[],
    call: async (name, args = {}, options = {}) =>
      (await client.call({ name, arguments: args }, options)) as ToolResult,
    read: async (uri) => {
      const [first] = (await client.readResource(uri)).contents
      return first && "text" in first ? String(first.text) : ""
    },
    templates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    complete: async (template, begun) => (await client.complete(template, begun)).completion.values,
    prompt: async (name, args) => {
      const [first] = (await client.getPrompt(name, args)).messages
      return first?.content.type === "text" ? first.content.text : ""
    },
    close: () => client.close(),
  }
}
