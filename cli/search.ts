import { type Command, InvalidArgumentError, Option } from "commander"
import type { SearchRequest } from "../lib/search/request.ts"
import type { Strategy } from "../lib/shapes.ts"
import { formatHits, formatStages } from "./format-hits.ts"
import type { Terminal } from "./terminal.ts"
import { withRuntime } from "./with-runtime.ts"

interface SearchOptions {
  readonly tenant: string
  readonly topK?: number
  readonly strategy?: Strategy
  readonly rerank?: true
  readonly mmr?: true
  readonly funnel?: true
  readonly language?: string
  readonly explain?: true
  readonly json?: true
}

// Written out, since loading the schema would take longer than all the rest of `--help`.
const STRATEGIES = ["rrf", "weighted", "semantic", "lexical", "two_pass"] as const satisfies readonly Strategy[]

export function addSearchCommand(program: Command, terminal: Terminal): void {
  program
    .command("search")
    .description("search the indexed documents and print the best passages")
    .argument("<words...>", 'the question; "\\"a phrase\\"" must stand so, and -word (behind --) must not')
    .option("--tenant <name>", "whose documents", "primary")
    .option("--top-k <n>", "how many hits; 10, or RETRIEVAL_K_RERANK with --funnel", parseTopK)
    .addOption(new Option("--strategy <name>", "how meaning and words become one list").choices(STRATEGIES))
    .option("--rerank", "reorder the top by the reranking model")
    .option("--mmr", "spread near-duplicates")
    .option("--funnel", "few passages as an agent gets them: diversified, reranked, shown as their parents")
    .option("--language <tag>", "language of the question: en, pt, …")
    .option("--explain", "show what each stage made of it, and how long it took")
    .option("--json", "print the response of POST /search")
    .addHelpText("after", "\nWords that begin with - stand behind --: concordance search -- lighthouse -keeper")
    .action((words: string[], options: SearchOptions, command: Command) => {
      const query = words.join(" ")
      return query.trim() === "" ? command.error("Give words to search for.") : search(query, options, terminal)
    })
}

function parseTopK(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1 || number > 200) throw new InvalidArgumentError("A number from 1 to 200.")
  return number
}

async function search(query: string, options: SearchOptions, terminal: Terminal): Promise<void> {
  const { readSearchRequest } = await import("./read-search-request.ts")
  const request: SearchRequest = readSearchRequest({
    query,
    ...(options.topK !== undefined && { top_k: options.topK }),
    rerank: options.rerank ?? false,
    mmr: options.mmr ?? false,
    explain: options.explain ?? false,
    highlight: true,
    ...(options.strategy && { strategy: options.strategy }),
    ...(options.language && { language: options.language }),
  })
  const { language, explain, highlight } = request
  const { response, timings } = await withRuntime(terminal, ({ search, retrieve }) =>
    options.funnel
      ? retrieve(options.tenant, { query, language, explain, highlight, top_k: options.topK })
      : search(options.tenant, request),
  )
  if (options.json) {
    terminal.line(JSON.stringify(response, null, 2))
    return
  }
  for (const line of formatHits(response, terminal)) terminal.line(line)
  if (options.explain) for (const line of formatStages(response, timings, terminal)) terminal.line(line)
  for (const note of [...(response.degraded ?? []), ...(response.warnings ?? [])]) terminal.note(`Note: ${note}`)
  if (response.count === 0) terminal.note(`Nothing was found. Has anything been indexed for tenant ${options.tenant}?`)
}
