import { resolve } from "node:path"
import { AppError } from "../errors.ts"
import { buildModel } from "./convert/build-model.ts"
import { createCrossEncoderReranker } from "./cross-encoder-reranker.ts"
import { fetchModel } from "./fetch-model.ts"
import type { Embedder, Reranker } from "./inference.ts"
import { type InferenceSettings, misconfigured } from "./inference-settings.ts"
import { createLateInteractionReranker } from "./late-interaction-reranker.ts"
import type { ModelSource } from "./model-files.ts"
import { M3, M3_RERANKER, MINILM, modelSource } from "./model-source.ts"
import { createOnnxEmbedder } from "./onnx-embedder.ts"
import { type OnnxModel, openOnnxModel } from "./onnx-model.ts"
import { openOpenAiEmbedder, openServiceEmbedder, openServiceReranker, serviceAt } from "./open-remote.ts"
import { PINNED_MODELS } from "./pinned-models.ts"
import { rerankerOnUse } from "./reranker-on-use.ts"
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

interface OpenInferenceOptions {
  /**
   * `warm` leaves the reranker out, and a cross-encoder is opened by its first use: an instance that never reranks pays
   * neither its memory nor its seconds.
   */
  readonly rerankerOnUse?: boolean
}

/** What opening a model needs beside its own settings, and where it is remembered for closing. */
interface Workshop {
  readonly settings: InferenceSettings
  readonly options: OpenInferenceOptions
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
export async function openInference(
  settings: InferenceSettings,
  options: OpenInferenceOptions = {},
): Promise<Inference> {
  const workshop: Workshop = { settings, options, queue: createWorkQueue(settings.inferenceQueueMax), opened: [] }
  const { embedder, encoder } = await openEmbedder(workshop)
  const reranker = await openReranker(workshop, encoder)
  return {
    embedder,
    reranker,
    async warm() {
      const reports: WarmModel[] = []
      if (embedder) reports.push(await warmed("embedder", embedder.model, () => embedder.embed(["warm"], "query")))
      if (reranker && !options.rerankerOnUse)
        reports.push(await warmed("reranker", reranker.model, () => reranker.score("warm", ["warm"])))
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
  const service = ownService(settings)
  if (service) return { embedder: await openServiceEmbedder(settings, service), encoder: null }
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
  const service = ownService(settings)
  if (service) return openServiceReranker(service)
  if (settings.inferenceProfile === "m3") return openCrossEncoder(workshop, M3_RERANKER)
  return encoder && createLateInteractionReranker({ model: encoder, queue })
}

function ownService({ embedServiceUrl, embedServiceApiKey }: InferenceSettings) {
  return embedServiceUrl === undefined ? null : serviceAt(embedServiceUrl, embedServiceApiKey)
}

async function openCrossEncoder(workshop: Workshop, name: string): Promise<Reranker> {
  const { settings, options, queue } = workshop
  const source = modelSource(name, resolve(settings.home, "models"), "RERANK_MODEL")
  const open = async () =>
    createCrossEncoderReranker({ model: await opened(workshop, await withFiles(source), "classify"), queue })
  return options.rerankerOnUse ? rerankerOnUse(source.name, open) : open()
}

async function opened(workshop: Workshop, source: ModelSource, task: "encode" | "classify"): Promise<OnnxModel> {
  const { threads } = workshop.settings
  const model = await openOnnxModel(source, { task, ...(threads === undefined ? {} : { threads }) })
  workshop.opened.push(model)
  return model
}

async function embedderSource({ inferenceProfile, embeddingModel, home }: InferenceSettings): Promise<ModelSource> {
  const model = embeddingModel ?? (inferenceProfile === "m3" ? M3 : MINILM)
  return withFiles(modelSource(model, resolve(home, "models"), "EMBEDDING_MODEL"))
}

/** The models of our profiles are built or fetched here, checked; what else a setting names, transformers.js fetches. */
async function withFiles(source: ModelSource): Promise<ModelSource> {
  const { name, location, cacheFolder } = source
  if (name === MINILM) return { ...source, location: (await buildModel(cacheFolder)).folder }
  const pinned = PINNED_MODELS.find(({ repository }) => repository === location)
  return pinned ? { ...source, location: await fetchModel(pinned, cacheFolder) } : source
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
