import type { Command } from "commander"
import type { CheckOptions } from "./bench-check.ts"
import type { DenseOptions } from "./bench-dense.ts"
import type { LexicalOptions } from "./bench-lexical.ts"
import type { PeersOptions } from "./bench-peers.ts"
import { parseCount } from "./parse-count.ts"
import type { Terminal } from "./terminal.ts"

/** Benches that hold the product against something: its baseline, other ways, what people would use instead. */
export function addComparisonBenches(bench: Command, terminal: Terminal): void {
  addCheckBench(bench, terminal)
  addPeersBench(bench, terminal)
  addLexicalBench(bench, terminal)
  addDenseBench(bench, terminal)
}

function addPeersBench(bench: Command, terminal: Terminal): void {
  bench
    .command("peers")
    .description(
      "the same passages, vectors and questions through what people would use instead (npm run peers:install)",
    )
    .argument("<folder>", "a folder in BEIR form: corpus.jsonl, queries.jsonl, qrels/test.tsv")
    .option("--chunks <n>", "so many recombined passages: speed alone, nothing is judged", parseCount)
    .option("--questions <n>", "ask only the first questions", parseCount)
    .option("--database <url>", "a PostgreSQL with pgvector, as superuser (default: peers that need none)")
    .option("--only <list>", "peers by comma: concordance-pglite,lancedb", (list: string) => list.split(","))
    .option("--json", "print the figures as JSON")
    .option("--write", "take this run as the baseline, and write bench/peers.md and bench/peers.svg anew")
    .action(async (folder: string, options: PeersOptions) => {
      const { benchPeers } = await import("./bench-peers.ts")
      await benchPeers(folder, options, terminal)
    })
}

function addLexicalBench(bench: Command, terminal: Terminal): void {
  bench
    .command("lexical")
    .description("the search by words beside Lucene's BM25 (Debian: liblucene4.10-java, a JDK), and misspelt questions")
    .argument("<folder>", "a folder in BEIR form: corpus.jsonl, queries.jsonl, qrels/test.tsv")
    .option("--database <url>", "a PostgreSQL with pgvector, as its owner (default: an embedded one in memory)")
    .option("--json", "print the figures as JSON")
    .action(async (folder: string, options: LexicalOptions) => {
      const { benchLexical } = await import("./bench-lexical.ts")
      await benchLexical(folder, options, terminal)
    })
}

function addCheckBench(bench: Command, terminal: Terminal): void {
  bench
    .command("check")
    .description("relevance over the samples, and ratios of speed, beside the committed baseline; fails where one fell")
    .option("--database <url>", "a PostgreSQL with pgvector, as its owner (default: an embedded one in memory)")
    .option("--write", "take this run as the baseline")
    .action(async (options: CheckOptions) => {
      const { benchCheck } = await import("./bench-check.ts")
      await benchCheck(options, terminal)
    })
}

function addDenseBench(bench: Command, terminal: Terminal): void {
  bench
    .command("dense")
    .description(
      "the nearest chunks in every way, under filters that few or many pass, beside what the product chooses",
    )
    .requiredOption("--chunks <n>", "chunks of the tenant, that of `bench latency`", parseCount)
    .requiredOption("--database <url>", "a PostgreSQL with pgvector, as its owner")
    .option("--questions <n>", "questions to ask", parseCount, 50)
    .option("--dataset <folder>", "as for `bench latency`")
    .option("--json", "print the figures as JSON")
    .action(async (options: DenseOptions) => {
      const { benchDense } = await import("./bench-dense.ts")
      await benchDense(options, terminal)
    })
}
