import { access, copyFile, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type BertConfig, buildBert } from "../lib/inference/convert/bert-graph.ts"
import { buildModel } from "../lib/inference/convert/build-model.ts"
import type { Reranker } from "../lib/inference/inference.ts"
import { openInference } from "../lib/inference/open-inference.ts"
import { randomFrom } from "../lib/random.ts"
import { scorePassages } from "../lib/search/rerank.ts"
import { RandomWeights } from "./m3-shape-files.ts"
import { percentile, round } from "./metrics.ts"

/** How long the reranking of so many passages takes: median and 95th percentile by the clock, and processor time; ms. */
export interface RerankTime {
  readonly reranker: string
  readonly passages: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly cpu_ms: number
}

interface RerankTimesBench {
  /** Where models are, or are written: 150 MB. */
  readonly folder: string
  readonly threads: number
  readonly rounds: number
  readonly passages: readonly number[]
  readonly onTimed: (done: number) => void
}

/** What ms-marco-MiniLM-L-12-v2 is. */
const CONFIG: BertConfig & Record<string, unknown> = {
  model_type: "bert",
  architectures: ["BertForSequenceClassification"],
  hidden_size: 384,
  num_attention_heads: 12,
  num_hidden_layers: 12,
  layer_norm_eps: 1e-12,
  max_position_embeddings: 512,
  vocab_size: 30_522,
  id2label: { 0: "LABEL_0" },
}
const SHAPE = { hidden: 384, wide: 1_536, vocabulary: 30_522, positions: 512, segments: 2 }
const QUESTION = "which bridges does the river pass before it meets the sea"

/**
 * Times what searches ask of a reranker, for late interaction and for a cross-encoder of ms-marco-MiniLM-L-12's shape with random
 * weights, int8: its scores mean nothing, but take as long. Passages are of 160 to 240 words, each a token.
 */
export async function measureRerankTimes(bench: RerankTimesBench): Promise<readonly RerankTime[]> {
  const { folder: built } = await buildModel(join(bench.folder, "models"))
  const crossEncoder = join(bench.folder, "minilm-l-12-shape")
  await writeCrossEncoder(crossEncoder, built)
  const settings = { inferenceProfile: "mini" as const, home: bench.folder, threads: bench.threads }
  const times: RerankTime[] = []
  for (const rerankModel of [undefined, crossEncoder]) {
    const { reranker, warm, close } = await openInference({ ...settings, ...(rerankModel && { rerankModel }) })
    if (!reranker) throw new Error("there is no reranker")
    await warm()
    for (const count of bench.passages) {
      times.push(await timeOf(reranker, rerankModel ? "cross-encoder of 12 layers" : "late interaction", count, bench))
      bench.onTimed(times.length)
    }
    await close()
  }
  return times
}

async function timeOf(
  reranker: Reranker,
  name: string,
  count: number,
  { rounds }: RerankTimesBench,
): Promise<RerankTime> {
  const random = randomFrom(count)
  const words = QUESTION.split(" ")
  const text = () =>
    Array.from({ length: 160 + Math.floor(81 * random()) }, () => words[Math.floor(random() * words.length)]).join(" ")
  const clock: number[] = []
  const processor: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const texts = Array.from({ length: count }, text)
    const [began, before] = [performance.now(), process.cpuUsage()]
    await scorePassages(reranker, QUESTION, texts, {})
    const { user, system } = process.cpuUsage(before)
    // The first one warms up.
    if (round === 0) continue
    clock.push(performance.now() - began)
    processor.push((user + system) / 1_000)
  }
  return {
    reranker: name,
    passages: count,
    p50_ms: round(percentile(clock, 50), 1),
    p95_ms: round(percentile(clock, 95), 1),
    cpu_ms: round(percentile(processor, 50), 1),
  }
}

async function writeCrossEncoder(folder: string, minilm: string): Promise<void> {
  const isThere = await access(join(folder, "config.json")).then(
    () => true,
    () => false,
  )
  if (isThere) return
  await mkdir(join(folder, "onnx"), { recursive: true })
  for (const name of ["tokenizer.json", "tokenizer_config.json"]) await copyFile(join(minilm, name), join(folder, name))
  const model = buildBert(CONFIG, new RandomWeights(SHAPE), { int8: true, head: "classifier" })
  await writeFile(join(folder, "onnx/model_quantized.onnx"), model)
  // Last: a folder with it is whole.
  await writeFile(join(folder, "config.json"), JSON.stringify(CONFIG))
}
