import {
  type CallToolResult,
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Tool,
} from "@modelcontextprotocol/client"
import packageJson from "../../package.json" with { type: "json" }
import { connectionFailure } from "./connection-failure.ts"
import { type ObservedFetch, observeFetch } from "./observe-fetch.ts"
import type { Target } from "./target.ts"

export interface CallOptions {
  readonly onProgress?: ((message: string) => void) | undefined
}

/** A server, as long as one piece of work lasts. */
export interface Connection {
  /** Throws `AppError` where no result came, and the signal's reason. */
  callTool(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<CallToolResult>
  listTools(): Promise<readonly Tool[]>
  /** As the server calls itself. */
  readonly server: { readonly name: string; readonly version: string }
}

/** How long after the end of its stream a result may still be read, ms. */
const LOST_MS = 1_000
/** Longest silence, ms: a server here says something every 15 s. */
const SILENCE_MS = 60_000

/**
 * Connects, works and closes. Each piece of work has a connection of its own, so that a server that was started anew, or
 * ended a stream that nobody used, is no matter. Throws `AppError`, in words for a person, and the signal's reason.
 */
export async function withConnection<T>(
  target: Target,
  signal: AbortSignal,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const underWay = new Set<() => void>()
  const observed = observeFetch({
    key: target.key,
    streamMethod: target.transport === "sse" ? "GET" : "POST",
    onStreamEnd: () => {
      // The SDK would wait until a minute had gone by in silence.
      for (const lose of underWay) setTimeout(lose, LOST_MS).unref()
    },
  })
  const client = new Client(
    { name: "concordance-client", title: "Concordance", version: packageJson.version },
    { versionNegotiation: { mode: target.transport === "sse" ? "legacy" : "auto" } },
  )
  const reach = async <R>(during: "connect" | "call", step: () => Promise<R>): Promise<R> => {
    let lose = () => {}
    const lost = new Promise<never>((_, reject) => {
      lose = () => reject(new Error("The stream ended without a result"))
    })
    if (during === "call") underWay.add(lose)
    try {
      return await Promise.race([step(), lost])
    } catch (error) {
      signal.throwIfAborted()
      throw connectionFailure(error, { target, during, failure: observed.failure() })
    } finally {
      underWay.delete(lose)
    }
  }
  try {
    signal.throwIfAborted()
    await reach("connect", () => client.connect(transportTo(target, observed), { signal, timeout: SILENCE_MS }))
    const { name = "", version = "" } = client.getServerVersion() ?? {}
    return await work({
      server: { name, version },
      callTool: (tool, args, { onProgress } = {}) =>
        reach("call", () =>
          client.callTool(
            { name: tool, arguments: args },
            {
              signal,
              timeout: SILENCE_MS,
              resetTimeoutOnProgress: true,
              onprogress: ({ message }) => message !== undefined && onProgress?.(message),
            },
          ),
        ),
      listTools: async () => (await reach("call", () => client.listTools(undefined, { signal }))).tools,
    })
  } finally {
    await client.close().catch(() => undefined)
  }
}

function transportTo({ url, transport }: Target, { fetch }: ObservedFetch) {
  return transport === "sse"
    ? // oxlint-disable-next-line typescript/no-deprecated -- for servers that have nothing else
      new SSEClientTransport(url, { fetch })
    : new StreamableHTTPClientTransport(url, { fetch })
}
