import { type Command, InvalidArgumentError } from "commander"
import type { FieldMapping } from "../lib/indexes/field-mapping.ts"
import type { IndexRecord, SearchIndex } from "../lib/indexes/search-index.ts"
import type { Terminal } from "./terminal.ts"

interface CheckOptions {
  readonly query: string
  readonly tenant?: string
  readonly timeout: number
}

export function addIndexCheckCommand(program: Command, terminal: Terminal): void {
  program
    .command("index-check")
    .description(
      "say what the index of VECTORDB_PROVIDER can do, show three records, the fields' mapping, and one query",
    )
    .option("--query <words>", "what to ask it", "where is it described?")
    .option("--tenant <name>", "whose partition or records; VECTORDB_TENANT")
    .option("--timeout <seconds>", "for each step", parseSeconds, 15)
    .action((options: CheckOptions) => checkIndex(options, terminal))
}

function parseSeconds(value: string): number {
  const seconds = Number(value)
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 600)
    throw new InvalidArgumentError("A number from 1 to 600.")
  return seconds
}

async function checkIndex({ query, tenant, timeout }: CheckOptions, terminal: Terminal): Promise<void> {
  const { configFromEnvironment } = await import("../functions/environment.ts")
  const { openInference } = await import("../lib/inference/open-inference.ts")
  const { deadlineIn } = await import("../lib/deadline.ts")
  const { openCheckedIndex } = await import("../lib/runtime/open-checked-index.ts")
  const config = configFromEnvironment()
  const inference = await openInference({ ...config, home: config.concordanceHome })
  try {
    await inference.warm()
    const checked = await openCheckedIndex(config, inference)
    try {
      const asked = tenant ?? config.vectordbTenant
      const signal = () => deadlineIn(timeout * 1_000, terminal.signal).signal
      const found = await checked.look(asked, signal)
      for (const line of describeIndex(checked.index, found)) terminal.line(line)
      const { response } = await checked.search(asked, query, deadlineIn(timeout * 1_000, terminal.signal))
      terminal.line(`\nQuery "${query}": ${response.count} hits by ${response.strategy}`)
      for (const { citation, score, title, content } of response.results)
        terminal.line(`  ${score.toFixed(4)}  ${citation}  ${title}: ${snippet(content)}`)
      for (const note of response.degraded ?? []) terminal.note(`Note: ${note}`)
    } finally {
      await checked.close()
    }
  } finally {
    await inference.close()
  }
}

interface Looked {
  readonly count: number
  readonly dimensions: number | null
  readonly metric: string | null
  readonly mapping: FieldMapping | null
  readonly samples: readonly IndexRecord[]
  readonly parents: string
}

function describeIndex({ name, capabilities }: SearchIndex, looked: Looked): string[] {
  const { lexical, hybrid, vectors, partitions, writes, filters } = capabilities
  return [
    `${name}: ${looked.count} records, ${looked.dimensions ?? "no"} dimensions, compared by ${looked.metric ?? "nobody knows what"}`,
    `  words       ${lexical ?? "no search by words: BM25 over the passages nearest in meaning takes its place"}`,
    `  own fusion  ${hybrid ?? "none"}`,
    `  vectors     ${vectors ? "come with records, so results can be diversified" : "are not given out"}`,
    `  partitions  ${partitions ?? "none: several tenants need VECTORDB_TENANCY=field"}`,
    `  writing     ${writes ? "yes" : "no"}`,
    `  filters     ${filters.join(", ")}`,
    `  parents     ${looked.parents}`,
    "",
    ...(looked.mapping ? describeMapping(looked.mapping) : ["No records, so no mapping."]),
    ...looked.samples.slice(0, 3).flatMap(describeRecord),
  ]
}

function describeMapping({ pageOffset, ...paths }: FieldMapping): string[] {
  const lines = Object.entries(paths).map(([role, path]) => {
    const where =
      path === null
        ? "–"
        : path.length > 0
          ? path.join(".")
          : role === "metadata"
            ? "(the payload)"
            : "(the record's text)"
    return `  ${role.padEnd(10)}  ${where}`
  })
  return ["Fields", ...lines, ...(pageOffset === 1 ? ["  pages are counted from 0 there"] : [])]
}

function describeRecord({ id, text, payload, vector }: IndexRecord): string[] {
  const fields = Object.entries(payload).map(([key, value]) => `  ${key.padEnd(10)}  ${snippet(JSON.stringify(value))}`)
  return [
    "",
    `Record ${id}, ${vector?.length ?? "no"} dimensions`,
    ...(text === null ? [] : [`  (text)      ${snippet(text)}`]),
    ...fields,
  ]
}

function snippet(text: string): string {
  const line = text.replace(/\s+/g, " ")
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}
