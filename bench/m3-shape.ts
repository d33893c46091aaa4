import { execFile } from "node:child_process"
import { access, stat } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { openInference } from "../lib/inference/open-inference.ts"
import { WORDS, writeM3Shape } from "./m3-shape-files.ts"
import { percentile, round } from "./metrics.ts"
import { formatTable } from "./table.ts"

/** How long something took: by the clock, and of processors' time, which other processes don't lengthen; ms. */
interface Took {
  readonly ms: number
  readonly cpu_ms: number
}

/** What models of the shape of the profile `m3` take: files and resident memory in MB; medians where repeated. */
export interface M3ShapeFigures {
  readonly threads: number
  readonly rounds: number
  readonly file_mb: number
  /** Of the process before it opens a model, with the code that runs it. */
  readonly idle_mb: number
  /** Configuration and tokenizer. */
  readonly open: Took
  /** Weights, and one question. */
  readonly load: Took
  readonly embedder_mb: number
  readonly query_of_12_tokens: Took
  readonly passage_of_256_tokens: Took
  /** As a client sends them; once. */
  readonly passages_8_of_256_tokens: Took
  /** Its tokenizer too. */
  readonly reranker_load: Took
  readonly both_mb: number
  /** A query of 12 tokens with a passage of 256. */
  readonly pair: Took
  readonly peak_mb: number
}

interface M3ShapeBench {
  /** Where the files are, or are written: 1.2 GB. */
  readonly folder: string
  readonly threads: number
  readonly rounds: number
}

/** Writes the files where they are missing, and measures in a process of its own. */
export async function benchM3ShapeApart(bench: M3ShapeBench): Promise<M3ShapeFigures> {
  for (const [name, head] of [
    ["embedder", "hidden"],
    ["reranker", "classifier"],
  ] as const) {
    const folder = join(bench.folder, name)
    const isThere = await access(join(folder, "config.json")).then(
      () => true,
      () => false,
    )
    if (!isThere) await writeM3Shape(folder, head)
  }
  const script = fileURLToPath(new URL("./measure-m3-shape.ts", import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", script, JSON.stringify(bench)])
  return JSON.parse(stdout) as M3ShapeFigures
}

/** Loads the models one after the other and runs them. Needs a process of its own, or the memory is not theirs. */
export async function measureM3Shape({ folder, threads, rounds }: M3ShapeBench): Promise<M3ShapeFigures> {
  const { size } = await stat(join(folder, "embedder/onnx/model_quantized.onnx"))
  await import("@xenova/transformers")
  const idleMb = residentMb()
  const settings = { embeddingModel: join(folder, "embedder"), rerankModel: join(folder, "reranker") }
  const { result, ...open } = await timed(() =>
    openInference({ inferenceProfile: "m3", home: folder, threads, ...settings }, { rerankerOnUse: true }),
  )
  const { embedder, reranker } = result
  if (!embedder || !reranker) throw new Error("a model is missing")
  const { result: reports, ...load } = await timed(() => result.warm())
  if (reports[0]?.failure) throw reports[0].failure
  const embedderMb = residentMb()
  const query = words(10)
  const passage = words(254)
  const counted = [query, passage].map((text) => embedder.countTokens(text) + 2)
  if (String(counted) !== "12,256") throw new Error(`the texts have ${counted.join(" and ")} tokens, not 12 and 256`)
  const queryTook = await median(rounds, () => embedder.embed([query], "query"))
  const passageTook = await median(rounds, () => embedder.embed([passage], "passage"))
  const eight = await median(1, () => embedder.embed(new Array<string>(8).fill(passage), "passage"))
  const { result: _, ...rerankerLoad } = await timed(() => reranker.score("warm", ["warm"]))
  const bothMb = residentMb()
  const pair = await median(rounds, () => reranker.score(query, [passage]))
  await result.close()
  return {
    threads,
    rounds,
    file_mb: round(size / 1e6, 0),
    idle_mb: idleMb,
    open,
    load,
    embedder_mb: embedderMb,
    query_of_12_tokens: queryTook,
    passage_of_256_tokens: passageTook,
    passages_8_of_256_tokens: eight,
    reranker_load: rerankerLoad,
    both_mb: bothMb,
    pair,
    peak_mb: round(process.resourceUsage().maxRSS / 1_000, 0),
  }
}

function words(count: number): string {
  return WORDS.slice(0, count).join(" ")
}

function residentMb(): number {
  return round(process.memoryUsage().rss / 1e6, 0)
}

async function timed<T>(run: () => Promise<T>): Promise<Took & { readonly result: T }> {
  const began = performance.now()
  const before = process.cpuUsage()
  const result = await run()
  const { user, system } = process.cpuUsage(before)
  return { result, ms: round(performance.now() - began, 0), cpu_ms: round((user + system) / 1_000, 0) }
}

async function median(rounds: number, run: () => Promise<unknown>): Promise<Took> {
  const times: Took[] = []
  for (let i = 0; i < rounds; i++) times.push(await timed(run))
  const of = (key: keyof Took) =>
    percentile(
      times.map((took) => took[key]),
      50,
    )
  return { ms: of("ms"), cpu_ms: of("cpu_ms") }
}

/** The figures for a terminal. */
export function formatM3ShapeFigures({ threads, rounds, ...figures }: M3ShapeFigures): string {
  const rows = Object.entries(figures).map(([name, value]) =>
    typeof value === "number"
      ? [name.replaceAll("_", " "), value, ""]
      : [name.replaceAll("_", " "), `${value.ms} ms`, `${value.cpu_ms} ms CPU`],
  )
  return `BGE-M3's shape with random weights, int8, ${threads} threads, median of ${rounds}\n${formatTable(["", "", ""], rows)}`
}
