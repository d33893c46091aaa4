import type { Command } from "commander"
import type { AnswersOptions } from "./bench-answers.ts"
import type { CropOptions } from "./bench-crop.ts"
import type { EmbeddingOptions } from "./bench-embedding.ts"
import type { EnrichmentOptions } from "./bench-enrichment.ts"
import type { IngestOptions } from "./bench-ingest.ts"
import type { IngestKillsOptions } from "./bench-ingest-kills.ts"
import type { LatencyOptions } from "./bench-latency.ts"
import type { LeakTimingOptions } from "./bench-leak-timing.ts"
import type { MemoryOptions } from "./bench-memory.ts"
import type { PagesOptions } from "./bench-pages.ts"
import type { ReadingOrderOptions } from "./bench-reading-order.ts"
import type { RelevanceOptions } from "./bench-relevance.ts"
import { addComparisonBenches } from "./comparison-benches.ts"
import { addModelBenches } from "./model-benches.ts"
import { parseCount } from "./parse-count.ts"
import type { Terminal } from "./terminal.ts"

export function addBenchCommand(program: Command, terminal: Terminal): void {
  const bench = program.command("bench").description("measure relevance and speed; see bench/README.md")
  bench
    .command("relevance")
    .description("ask the judged questions of a test collection in every strategy, with and without rerank")
    .argument("<folder>", "a folder in BEIR form: corpus.jsonl, queries.jsonl, qrels/test.tsv")
    .option("--database <url>", "a PostgreSQL with pgvector, as its owner (default: an embedded one in memory)")
    .option("--limit <n>", "ask only the first questions", parseCount)
    .option("--only <list>", "strategies to measure, by comma: rrf,weighted+rerank", (list: string) => list.split(","))
    .option("--json", "print the figures as JSON")
    .action(async (folder: string, options: RelevanceOptions) => {
      const { benchRelevance } = await import("./bench-relevance.ts")
      await benchRelevance(folder, options, terminal)
    })
  bench
    .command("latency")
    .description("time the search of a big tenant, and of one with 1,000 chunks beside it")
    .requiredOption("--chunks <n>", "chunks of the big tenant", parseCount)
    .option("--questions <n>", "questions to ask of each tenant", parseCount, 120)
    .option("--database <url>", "a PostgreSQL with pgvector, as its owner (default: an embedded one in memory)")
    .option(
      "--dataset <folder>",
      "passages and questions, in BEIR form (default: the documentation that npm installed)",
    )
    .option("--json", "print the figures as JSON")
    .action(async (options: LatencyOptions) => {
      const { benchLatency } = await import("./bench-latency.ts")
      await benchLatency(options, terminal)
    })
  bench
    .command("embedding")
    .description("texts a second of the embedded model, beside the usual pipeline over the same texts")
    .option("--threads <n>", "threads of the model", parseCount, 2)
    .option("--json", "print the figures as JSON")
    .action(async (options: EmbeddingOptions) => {
      const { benchEmbedding } = await import("./bench-embedding.ts")
      await benchEmbedding(options, terminal)
    })
  bench
    .command("crop")
    .description("time the pictures of passages, boxes and pages, without the network and the object store")
    .option("--rounds <n>", "pictures of each kind", parseCount, 40)
    .option("--page <file>", "the picture of a page, PNG, WebP or JPEG (default: a drawn one of 120 lines)")
    .option("--json", "print the figures as JSON")
    .action(async (options: CropOptions) => {
      const { benchCrop } = await import("./bench-crop.ts")
      await benchCrop(options, terminal)
    })
  addIngestBench(bench, terminal)
  addPagesBench(bench, terminal)
  addMemoryBench(bench, terminal)
  addReadingOrderBench(bench, terminal)
  addIngestKillsBench(bench, terminal)
  addEnrichmentBench(bench, terminal)
  addAnswersBench(bench, terminal)
  addModelBenches(bench, terminal)
  addColdStartBench(bench, terminal)
  addLeakTimingBench(bench, terminal)
  addComparisonBenches(bench, terminal)
}

function addIngestBench(bench: Command, terminal: Terminal): void {
  bench
    .command("ingest")
    .description("chunks a second into the store, beside a plain table of vectors and beside one document a call")
    .option("--chunks <n>", "chunks to load", parseCount, 20_000)
    .option("--database <url>", "a PostgreSQL with pgvector, as its owner (default: an embedded one in memory)")
    .option("--dataset <folder>", "passages, in BEIR form (default: the documentation that npm installed)")
    .option("--json", "print the figures as JSON")
    .action(async (options: IngestOptions) => {
      const { benchIngest } = await import("./bench-ingest.ts")
      await benchIngest(options, terminal)
    })
}

function addLeakTimingBench(bench: Command, terminal: Terminal): void {
  bench
    .command("leak-timing")
    .description(
      "time an id that nobody has beside one of another tenant's, over HTTP: the medians must not tell them apart",
    )
    .option("--pairs <n>", "pairs of requests of each kind", parseCount, 1_000)
    .option("--json", "print the figures as JSON")
    .action(async (options: LeakTimingOptions) => {
      const { benchLeakTiming } = await import("./bench-leak-timing.ts")
      await benchLeakTiming(options, terminal)
    })
}

function addColdStartBench(bench: Command, terminal: Terminal): void {
  bench
    .command("cold-start")
    .description(
      "the first search of a new instance, in the Lambda runtime loop (npm run infra:install, CONCORDANCE_TEST_DATABASE_URL)",
    )
    .action(async () => {
      const { benchColdStart } = await import("./bench-cold-start.ts")
      await benchColdStart(terminal)
    })
}

function addPagesBench(bench: Command, terminal: Terminal): void {
  bench
    .command("pages")
    .description("words and pictures of a PDF's pages, beside poppler's (Debian: poppler-utils)")
    .argument("<file>", "a PDF")
    .option("--threads <n>", "threads of ours, processes of poppler's", parseCount, 1)
    .option("--rounds <n>", "how often both read the file", parseCount, 3)
    .option("--pages <n>", "only the first pages", parseCount)
    .option("--json", "print the figures as JSON")
    .action(async (file: string, options: PagesOptions) => {
      const { benchPages } = await import("./bench-pages.ts")
      await benchPages(file, options, terminal)
    })
}

function addMemoryBench(bench: Command, terminal: Terminal): void {
  bench
    .command("memory")
    .description("memory above idle that a file's pages take, or its whole ingestion")
    .argument("[file]", "a file (default: a generated book)")
    .option("--book <n>", "pages of the generated book", parseCount, 350)
    .option("--threads <n>", "pages read at once", parseCount, 2)
    .option("--product", "ingest it into the whole product, database and model included")
    .option("--json", "print the figures as JSON")
    .action(async (file: string | undefined, options: MemoryOptions) => {
      const { benchMemory } = await import("./bench-memory.ts")
      await benchMemory(file, options, terminal)
    })
}

function addReadingOrderBench(bench: Command, terminal: Terminal): void {
  bench
    .command("reading-order")
    .description("our order of the words of PDFs beside that of pdftotext (Debian: poppler-utils)")
    .argument("<files...>", "PDFs")
    .option("--json", "print the figures as JSON")
    .action(async (files: string[], options: ReadingOrderOptions) => {
      const { benchReadingOrder } = await import("./bench-reading-order.ts")
      await benchReadingOrder(files, options, terminal)
    })
}

function addEnrichmentBench(bench: Command, terminal: Terminal): void {
  bench
    .command("enrichment")
    .description("what a language model would be asked about files, in tokens; none is asked")
    .argument("<paths...>", "files, folders or patterns")
    .option("--json", "print the figures as JSON")
    .action(async (paths: string[], options: EnrichmentOptions) => {
      const { benchEnrichment } = await import("./bench-enrichment.ts")
      await benchEnrichment(paths, options, terminal)
    })
}

function addIngestKillsBench(bench: Command, terminal: Terminal): void {
  bench
    .command("ingest-kills")
    .description("kill the ingestion of a folder again and again, and compare what is there at the end")
    .option("--kills <n>", "how many times", parseCount, 20)
    .option("--seed <n>", "of the moments at which it is killed", parseCount, 1)
    .action(async (options: IngestKillsOptions) => {
      const { benchIngestKills } = await import("./bench-ingest-kills.ts")
      await benchIngestKills(options, terminal)
    })
}

function addAnswersBench(bench: Command, terminal: Terminal): void {
  bench
    .command("answers")
    .description("ask questions about the samples: right documents, refusals, steps, tokens and time")
    .option(
      "--calibrate",
      "choose the limits of refusal for the configured models by one part of the questions, cross-validated within it",
    )
    .option("--json", "print the figures as JSON")
    .action(async (options: AnswersOptions) => {
      const { benchAnswers } = await import("./bench-answers.ts")
      await benchAnswers(options, terminal)
    })
}
