import { pipeline } from "@xenova/transformers"
import { buildModel } from "../lib/inference/convert/build-model.ts"
import { MINILM } from "../lib/inference/model-source.ts"
import { createOnnxEmbedder } from "../lib/inference/onnx-embedder.ts"
import { openOnnxModel } from "../lib/inference/onnx-model.ts"
import { createWorkQueue } from "../lib/inference/work-queue.ts"
import { percentile, round } from "./metrics.ts"
import { mixedTexts } from "./mixed-texts.ts"
import { formatTable } from "./table.ts"

/** Passages a second, of the same texts by the same int8 weights and threads. */
export interface EmbeddingFigures {
  readonly texts: number
  readonly tokens: number
  readonly threads: number
  readonly rounds: number
  /** Sorted by length, at most 512 padded tokens a batch. */
  readonly batched_by_tokens: number
  /** The pipeline of transformers.js, 16 texts at a time as they come. */
  readonly pipeline_16_as_they_come: number
  readonly pipeline_one_at_a_time: number
  /** `batched_by_tokens` over each of the other two: the medians of the rounds' own ratios. */
  readonly speedup_over_16: number
  readonly speedup_over_one: number
}

interface EmbeddingBench {
  /** Where the embedded model is, or is built. */
  readonly modelsFolder: string
  readonly threads?: number
  readonly rounds?: number
  readonly texts?: number
}

/**
 * Embeds mixed texts in three ways, one way after the other in every round, each round beginning with another one, so
 * that whatever else the machine does meets all three. The pipeline gets our session's options too, spinning threads
 * off, because what is compared is the batching.
 */
export async function measureEmbedding(bench: EmbeddingBench): Promise<EmbeddingFigures> {
  const { modelsFolder, threads = 2, rounds = 7 } = bench
  const texts = mixedTexts(bench.texts ?? 128)
  const { folder } = await buildModel(modelsFolder)
  const source = { name: MINILM, location: folder, cacheFolder: modelsFolder }
  const model = await openOnnxModel(source, { task: "encode", threads })
  const embedder = createOnnxEmbedder({ model, queue: createWorkQueue() })
  const extract = await pipeline("feature-extraction", folder, {
    dtype: "q8",
    device: "cpu",
    local_files_only: true,
    session_options: { intraOpNumThreads: threads, extra: { session: { intra_op: { allow_spinning: "0" } } } },
  })
  const options = { pooling: "mean", normalize: true } as const
  const ways = [
    () => embedder.embed(texts, "passage"),
    async () => {
      for (let i = 0; i < texts.length; i += 16) await extract(texts.slice(i, i + 16), options)
    },
    async () => {
      for (const text of texts) await extract(text, options)
    },
  ] as const
  const seconds = await timedInTurns(ways, rounds)
  const { tokens } = await embedder.embed(texts, "passage")
  await Promise.all([model.close(), extract.dispose()])
  const rate = (way: number) => round(texts.length / percentile(seconds[way] ?? [], 50), 1)
  const speedup = (over: number) =>
    round(
      percentile(
        (seconds[over] ?? []).map((other, i) => other / (seconds[0]?.[i] ?? Number.NaN)),
        50,
      ),
      2,
    )
  return {
    texts: texts.length,
    tokens,
    threads,
    rounds,
    batched_by_tokens: rate(0),
    pipeline_16_as_they_come: rate(1),
    pipeline_one_at_a_time: rate(2),
    speedup_over_16: speedup(1),
    speedup_over_one: speedup(2),
  }
}

/** Seconds of each way in each round, after a round that is not counted. */
async function timedInTurns(ways: readonly (() => Promise<unknown>)[], rounds: number): Promise<number[][]> {
  const seconds: number[][] = ways.map(() => [])
  for (let turn = -1; turn < rounds; turn++) {
    for (let offset = 0; offset < ways.length; offset++) {
      const way = (turn + 1 + offset) % ways.length
      const startedAt = performance.now()
      await ways[way]?.()
      if (turn >= 0) seconds[way]?.push((performance.now() - startedAt) / 1000)
    }
  }
  return seconds
}

/** The figures for a terminal. */
export function formatEmbeddingFigures(figures: EmbeddingFigures): string {
  const table = formatTable(
    ["embedding", "texts/s", "ours is faster by"],
    [
      ["sorted, at most 512 padded tokens a batch (ours)", figures.batched_by_tokens, ""],
      ["pipeline, 16 at a time as they come", figures.pipeline_16_as_they_come, `${figures.speedup_over_16}x`],
      ["pipeline, one at a time", figures.pipeline_one_at_a_time, `${figures.speedup_over_one}x`],
    ],
  )
  return `${figures.texts} texts, ${figures.tokens} tokens, int8, ${figures.threads} threads, median of ${figures.rounds} rounds\n${table}`
}
