import * as z from "zod"
import { componentsOf, type Health, HealthReport } from "../../health.ts"
import type { McpTool } from "../mcp-tool.ts"

const ServerHealth = HealthReport.extend({ version: z.string().describe("Of the server") })

interface ServerHealthOptions extends Pick<McpTool, "timeoutMs"> {
  readonly version: string
}

/** Whether the server can answer, part by part. */
export function createServerHealth(health: Health, { version, timeoutMs }: ServerHealthOptions): McpTool {
  return {
    name: "server_health",
    title: "Server health",
    description: "Says whether the database and the models answer, and which they are.",
    scope: "search",
    input: z.strictObject({}),
    output: ServerHealth,
    timeoutMs,
    isRepeatable: false,
    async call() {
      const report = await health(true)
      const parts = componentsOf(report).map(({ name: part, component: { status, name, ms } }) => {
        const facts = [status, name, ms === undefined ? undefined : `${ms} ms`].filter(Boolean)
        return `${part}: ${facts.join(", ")}`
      })
      return { data: { ...report, version }, text: [`Concordance ${version}: ${report.status}`, ...parts].join("\n") }
    },
  }
}
