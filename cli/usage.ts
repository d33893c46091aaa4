import { type Command, InvalidArgumentError } from "commander"
import type { UsageReport } from "../lib/usage/read-usage.ts"
import type { Terminal } from "./terminal.ts"
import { withDatabase } from "./with-runtime.ts"

interface UsageOptions {
  readonly tenant: string
  readonly from?: string
  readonly to?: string
  readonly json?: true
}

export function addUsageCommand(program: Command, terminal: Terminal): void {
  program
    .command("usage")
    .description("print what a tenant has used, day by day (UTC), and what is stored for it")
    .option("--tenant <name>", "whose use", "primary")
    .option("--from <day>", "first day, like 2026-11-01 (default: 30 days before the last)", parseDay)
    .option("--to <day>", "last day (default: today)", parseDay)
    .option("--json", "print it as JSON")
    .action((options: UsageOptions) => showUsage(options, terminal))
}

function parseDay(value: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(value) || Number.isNaN(Date.parse(value)))
    throw new InvalidArgumentError("A date like 2026-11-30.")
  return value
}

async function showUsage({ tenant, json, ...days }: UsageOptions, terminal: Terminal): Promise<void> {
  const { createCountCollection } = await import("../lib/documents/collection.ts")
  const { createReadUsage } = await import("../lib/usage/read-usage.ts")
  const report = await withDatabase((database) =>
    createReadUsage({ database, stored: createCountCollection(database) })(tenant, days),
  )
  if (json) return terminal.line(JSON.stringify(report, null, 2))
  for (const line of linesOf(report)) terminal.line(line)
}

/** Days without any use are left out: the JSON has them. */
function linesOf({ from, to, days, total, stored }: UsageReport): string[] {
  const names = Object.keys(total) as (keyof UsageReport["total"])[]
  const used = days.filter((day) => names.some((name) => day[name] > 0))
  const table = [
    ["day", ...names.map((name) => name.replaceAll("_", " "))],
    ...used.map((day) => [day.day, ...names.map((name) => String(day[name]))]),
    ["total", ...names.map((name) => String(total[name]))],
  ]
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0))) ?? []
  const rows = table.map((row) => row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join("  "))
  const held = `${stored.documents} documents, ${stored.passages} passages, ${stored.pages} pages, ${stored.upload_bytes} bytes of uploads`
  return [`${from} to ${to} (UTC)`, ...rows, `Stored now: ${held}.`]
}
