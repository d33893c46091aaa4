import type { Tool } from "@modelcontextprotocol/client"
import { componentsOf, type HealthReport } from "../../lib/health.ts"
import { printable, type Terminal } from "../terminal.ts"
import { clip } from "../wrap-text.ts"

interface ServerHealth {
  readonly report: HealthReport
  readonly server: string
}

/** The parts of a server, one a line: how each is, how long it took, and what it is. */
export function formatHealth({ report, server }: ServerHealth, { columns }: Pick<Terminal, "columns">): string[] {
  const parts = componentsOf(report).map(({ name: part, component: { status, name, ms } }) => {
    const time = ms === undefined ? "" : `${Math.round(ms)} ms`
    return clip(`  ${part.padEnd(8)}  ${status.padEnd(9)}  ${time.padStart(7)}  ${printable(name ?? "")}`, columns)
  })
  return [`${server}: ${report.status}`, ...parts.map((line) => line.trimEnd())]
}

/** Tools with their titles. */
export function formatTools(tools: readonly Tool[], { bold, columns }: Pick<Terminal, "bold" | "columns">): string[] {
  const width = Math.max(0, ...tools.map(({ name }) => name.length))
  return tools.map(({ name, title = "", description = "" }) => {
    const head = printable(name).padEnd(width)
    return `${bold(head)}  ${clip(printable(title || description), columns - width - 2)}`
  })
}
