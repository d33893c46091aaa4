import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio"
import type { Principal } from "../keys/api-key.ts"
import { createMcpServers, type McpDeps } from "./create-mcp-server.ts"

/**
 * Serves one client over this process's stdin and stdout, until it closes them or `signal` aborts. Calls under way are
 * aborted then.
 */
export async function serveMcpOverStdio(deps: McpDeps, principal: Principal, signal: AbortSignal): Promise<void> {
  const createServer = createMcpServers(deps)
  const transport = new StdioServerTransport()
  const server = serveStdio(() => createServer(principal), {
    transport,
    // Its message may repeat what the client sent.
    onerror: ({ name }) => deps.log.debug("MCP message refused", { name }),
  })
  // The transport's own listener is the SDK's; the end of stdin is the end of the client.
  await new Promise<void>((resolve) => {
    process.stdin.once("close", resolve)
    process.stdin.once("end", resolve)
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
  await server.close()
}
