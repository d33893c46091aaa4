import { resolve } from "node:path"
import { AppError } from "../errors.ts"
import { buildModel } from "./convert/build-model.ts"
import { createCrossEncoderReranker } from "./cross-encoder-reranker.ts"
import type { Embedder, Reranker } from "./inference.ts"
import { type InferenceSettings, misconfigured } from "./inference-settings.ts"
import { createLateInteractionReranker } from "./late-interaction-reranker.ts"
import type { ModelSource } from "./model-files.ts"
import { M3, M3_RERANKER, MINILM, modelSource } from "./model-source.ts"
import { createOnnxEmbedder } from "./onnx-embedder.ts"
import { type OnnxModel, openOnnxModel } from "./onnx-model.ts"
import { openOpenAiEmbedder, openServiceEmbedder, openServiceReranker, serviceAt } from "./open-remote.ts"
import { createWorkQueue, type WorkQueue } from "./work-queue.ts"

/** How a model's first run went. */
export interface WarmModel {
  readonly role: "embedder" | "reranker"
  readonly model: string
  /** From the start of its loading to its first answer. */
  readonly tookMs: number
  /** Why it does not work, written for the operator; it is tried again at its next use. */
  readonly failure: AppError | null
}

/** The models of one process. */
export interface Inference {
  /** `null` when `embeddingModel` is `none`: passages are then found by words alone. */
  readonly embedder: Embedder | null
  readonly reranker: Reranker | null
  /** Loads each model and runs it once, so that the first search does not wait; never rejects. */
  warm(): Promise<readonly WarmModel[]>
  /** Frees the models; those in use finish their batch first. */
  close(): Promise<void>
}

/** What opening a model needs beside its own settings, and where it is remembered for closing. */
interface Workshop {
  readonly settings: InferenceSettings
  readonly queue: WorkQueue
  readonly opened: OnnxModel[]
}

/**
 * Opens the models that the settings name. Tokenizers and configurations are read now (and, for `mini`, the model is
 * built when it is not there, about 2 s), so that names, dimensions and token counts are exact from the start; weights
 * are loaded by `warm` or the first use. All models in this process share one queue.
 *
 * @throws AppError `invalid_configuration` when settings are missing, `inference_unavailable` when files are
 */
export async function openInference(settings: InferenceSettings): Promise<Inference> {
  const workshop: Workshop = { settings, queue: createWorkQueue(), opened: [] }
  const { embedder, encoder } = await openEmbedder(workshop)
  const reranker = await openReranker(workshop, encoder)
  return {
    embedder,
    reranker,
    async warm() {
      const reports: WarmModel[] = []
      if (embedder) reports.push(await warmed("embedder", embedder.model, () => embedder.embed(["warm"], "query")))
      if (reranker) reports.push(await warmed("reranker", reranker.model, () => reranker.score("warm", ["warm"])))
      return reports
    },
    async close() {
      await Promise.all(workshop.opened.map((model) => model.close()))
    },
  }
}

/** The embedder and, when it runs here, its model, which late interaction shares. */
async function openEmbedder(workshop: Workshop): Promise<{ embedder: Embedder | null; encoder: OnnxModel | null }> {
  const { settings, queue } = workshop
  if (settings.embeddingModel === "none") return { embedder: null, encoder: null }
  if (settings.inferenceProfile === "openai") return { embedder: await openOpenAiEmbedder(settings), encoder: null }
  if (settings.embedServiceUrl !== undefined) {
    return { embedder: await openServiceEmbedder(settings, serviceAt(settings.embedServiceUrl)), encoder: null }
  }
  const encoder = await opened(workshop, await embedderSource(settings), "encode")
  if (settings.embeddingDimensions !== undefined && settings.embeddingDimensions !== encoder.hiddenSize) {
    throw misconfigured(
      "EMBEDDING_DIMENSIONS",
      `is ${settings.embeddingDimensions}, but ${encoder.name} has ${encoder.hiddenSize}: remove it`,
    )
  }
  return { embedder: createOnnxEmbedder({ model: encoder, queue }), encoder }
}

async function openReranker(workshop: Workshop, encoder: OnnxModel | null): Promise<Reranker | null> {
  const { settings, queue } = workshop
  if (settings.rerankModel === "none") return null
  if (settings.rerankModel !== undefined) return openCrossEncoder(workshop, settings.rerankModel)
  if (settings.embedServiceUrl !== undefined) return openServiceReranker(serviceAt(settings.embedServiceUrl))
  if (settings.inferenceProfile === "m3") return openCrossEncoder(workshop, M3_RERANKER)
  return encoder && createLateInteractionReranker({ model: encoder, queue })
}

async function openCrossEncoder(workshop: Workshop, name: string): Promise<Reranker> {
  const source = modelSource(name, resolve(workshop.settings.home, "models"), "RERANK_MODEL")
  return createCrossEncoderReranker({ model: await opened(workshop, source, "classify"), queue: workshop.queue })
}

async function opened(workshop: Workshop, source: ModelSource, task: "encode" | "classify"): Promise<OnnxModel> {
  const { threads } = workshop.settings
  const model = await openOnnxModel(source, { task, ...(threads === undefined ? {} : { threads }) })
  workshop.opened.push(model)
  return model
}

async function embedderSource({ inferenceProfile, embeddingModel, home }: InferenceSettings): Promise<ModelSource> {
  const models = resolve(home, "models")
  const source = modelSource(embeddingModel ?? (inferenceProfile === "m3" ? M3 : MINILM), models, "EMBEDDING_MODEL")
  return source.name === MINILM ? { ...source, location: (await buildModel(models)).folder } : source
}

async function warmed(role: WarmModel["role"], model: string, run: () => Promise<unknown>): Promise<WarmModel> {
  const startedAt = performance.now()
  const failure = await run().then(
    () => null,
    (error: unknown) =>
      error instanceof AppError
        ? error
        : new AppError("inference_unavailable", `The model ${model} failed its first run.`, { cause: error }),
  )
  return { role, model, tookMs: Math.round(performance.now() - startedAt), failure }
}
