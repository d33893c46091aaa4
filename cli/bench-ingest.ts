import { loadavg } from "node:os"
import { type IngestFigures, type IngestPassage, measureIngest } from "../bench/ingest.ts"
import { readInstalledCorpus } from "../bench/installed-corpus.ts"
import { embedCorpus } from "../bench/load-passages.ts"
import { describeMachine } from "../bench/machine.ts"
import { createMixtureEmbedder } from "../bench/mixture-embedder.ts"
import { openSubject } from "../bench/open-subject.ts"
import { recombinePassages } from "../bench/recombined-passages.ts"
import { formatTable } from "../bench/table.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import { readCollection } from "../lib/beir-collection.ts"
import type { Terminal } from "./terminal.ts"

export interface IngestOptions {
  readonly chunks: number
  readonly database?: string
  readonly dataset?: string
  readonly json?: true
}

/** `bench ingest`: chunks a second of the product, beside a plain table of vectors and beside one document a call. */
export async function benchIngest(options: IngestOptions, terminal: Terminal): Promise<void> {
  const { name, corpus } = options.dataset
    ? await readCollection(options.dataset)
    : await readInstalledCorpus("node_modules")
  const subject = await openSubject(configFromEnvironment(), options.database)
  try {
    const embedding = terminal.progress("Embedding", corpus.length)
    const vectors = await embedCorpus(subject.embedder, corpus, (count) => {
      terminal.signal.throwIfAborted()
      embedding.at(count)
    }).finally(() => embedding.stop())
    const mixture = createMixtureEmbedder(subject.embedder, vectors)
    const loading = terminal.progress("Loading", options.chunks)
    const figures = await measureIngest({
      subject,
      chunks: options.chunks,
      passages: passagesOf(mixture, corpus, 2 * options.chunks + 10_000),
      texts: corpus.flatMap(({ text }) => text.trim() || []),
      onLoaded: (count) => {
        terminal.signal.throwIfAborted()
        loading.at(count)
      },
      onBuilding: () => terminal.note("Building the vector indexes"),
    }).finally(() => loading.stop())
    report(options, terminal, figures, {
      dataset: name,
      machine: `${describeMachine()}, load ${loadavg()[0]?.toFixed(1)}`,
      database: subject.databaseVersion,
      command: describeCommand(options),
      chunks: options.chunks,
    })
  } finally {
    await subject.close()
  }
}

/** Recombined passages with their vectors, made as they are asked for. */
function* passagesOf(
  mixture: ReturnType<typeof createMixtureEmbedder>,
  corpus: Parameters<typeof recombinePassages>[0],
  count: number,
): Generator<IngestPassage> {
  for (const passage of recombinePassages(corpus, count, 3))
    yield { content: passage.content, vector: mixture.vectorOf(passage) }
}

function report(
  { json }: IngestOptions,
  terminal: Terminal,
  figures: IngestFigures,
  facts: Readonly<Record<string, unknown>>,
): void {
  if (json) {
    terminal.line(JSON.stringify({ ...facts, ...figures }, null, 2))
    return
  }
  const { load, load_then_index, into_index, whole } = figures
  const rows = [
    ["store alone, no vector index", load.ours, load.plain, "", load.ratio, ""],
    ["the same, index built after", load_then_index.ours, load_then_index.plain, "", load_then_index.ratio, ""],
    [
      "store alone, into its index",
      into_index.ours,
      into_index.plain,
      into_index.naive,
      into_index.ratio,
      into_index.ratio_over_naive,
    ],
    ["with the model, into its index", whole.ours, "", whole.naive, "", whole.ratio_over_naive],
  ]
  terminal.line(formatTable(["chunks/s", "ours", "plain table", "one by one", "ours/plain", "ours/one"], rows))
}

function describeCommand({ chunks, database, dataset }: IngestOptions): string {
  const options = [
    `--chunks ${chunks}`,
    ...(database === undefined ? [] : ["--database URL"]),
    ...(dataset === undefined ? [] : ["--dataset FOLDER"]),
  ]
  return ["concordance bench ingest", ...options, "--json"].join(" ")
}
