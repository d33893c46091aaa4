import type { Command } from "commander"
import type { Terminal } from "./terminal.ts"
import { withRuntime } from "./with-runtime.ts"

interface McpOptions {
  readonly tenant: string
}

export function addMcpCommand(program: Command, terminal: Terminal): void {
  program
    .command("mcp")
    .description("serve one MCP client over stdin and stdout, as it starts it by itself (docs/mcp.md)")
    .option("--tenant <name>", "whose documents", "primary")
    .action((options: McpOptions) => serveClient(options, terminal))
}

/** Nothing but the protocol may stand on stdout: `withRuntime` logs to stderr. */
async function serveClient({ tenant }: McpOptions, terminal: Terminal): Promise<void> {
  const { serveMcpOverStdio } = await import("../lib/mcp/serve-stdio.ts")
  await withRuntime(terminal, (product) =>
    serveMcpOverStdio(product.mcp, { id: "stdio", tenants: [tenant], scopes: ["search"] }, terminal.signal),
  )
}
