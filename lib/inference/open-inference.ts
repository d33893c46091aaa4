import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { AppError } from "../errors.ts"
import { buildModel, MINILM } from "./convert/build-model.ts"
import { createCrossEncoderReranker } from "./cross-encoder-reranker.ts"
import type { Embedder, Reranker } from "./inference.ts"
import { createInferenceService } from "./inference-service.ts"
import { createLateInteractionReranker } from "./late-interaction-reranker.ts"
import type { ModelSource } from "./model-files.ts"
import { createOnnxEmbedder } from "./onnx-embedder.ts"
import { type OnnxModel, openOnnxModel } from "./onnx-model.ts"
import { createOpenAiEmbedder, knownDimensions } from "./openai-embedder.ts"
import { createTeiEmbedder } from "./tei-embedder.ts"
import { createTeiReranker } from "./tei-reranker.ts"
import { createWorkQueue, type WorkQueue } from "./work-queue.ts"

/** Which models to use; each field is the setting of the same name in capitals. */
export interface InferenceSettings {
  /** `mini`: MiniLM, built here, offline. `m3`: BGE-M3 and its reranker. `openai`: a service in OpenAI's shape. */
  readonly inferenceProfile: "mini" | "m3" | "openai"
  /** `CONCORDANCE_HOME`: models are kept in its folder `models`. */
  readonly home: string
  /** A name on Hugging Face, a local folder (`/…`, `./…`, `~/…`), the service's name for it, or `none`. */
  readonly embeddingModel?: string | undefined
  /** Base of an OpenAI-compatible API: `https://api.openai.com/v1`. */
  readonly embeddingBaseUrl?: string | undefined
  readonly embeddingApiKey?: string | undefined
  /** Stands for `embeddingApiKey` at OpenRouter, which is then the base unless another one is named. */
  readonly openrouterApiKey?: string | undefined
  readonly embeddingDimensions?: number | undefined
  /** A service in the shape of Text Embeddings Inference that embeds (unless the profile is `openai`) and reranks. */
  readonly embedServiceUrl?: string | undefined
  /** A cross-encoder that runs in this process: a name on Hugging Face, a local folder, or `none`. */
  readonly rerankModel?: string | undefined
  /** Threads of the models in this process; as many as there are cores, at most 8, when not given. */
  readonly threads?: number | undefined
}

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
  if (settings.inferenceProfile === "openai") return { embedder: openAiEmbedder(settings), encoder: null }
  if (settings.embedServiceUrl !== undefined) {
    return { embedder: serviceEmbedder(settings, settings.embedServiceUrl), encoder: null }
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
  if (settings.rerankModel !== undefined) {
    const source = sourceOf(settings, settings.rerankModel)
    return createCrossEncoderReranker({ model: await opened(workshop, source, "classify"), queue })
  }
  if (settings.embedServiceUrl !== undefined) {
    const service = createInferenceService({ setting: "EMBED_SERVICE_URL", baseUrl: trimmed(settings.embedServiceUrl) })
    return createTeiReranker({ service, model: `reranker at ${new URL(settings.embedServiceUrl).host}` })
  }
  if (settings.inferenceProfile === "m3") {
    const source = sourceOf(settings, "onnx-community/bge-reranker-v2-m3-ONNX", "BAAI/bge-reranker-v2-m3")
    return createCrossEncoderReranker({ model: await opened(workshop, source, "classify"), queue })
  }
  return encoder && createLateInteractionReranker({ model: encoder, queue })
}

async function opened(workshop: Workshop, source: ModelSource, task: "encode" | "classify"): Promise<OnnxModel> {
  const { threads } = workshop.settings
  const model = await openOnnxModel(source, { task, ...(threads === undefined ? {} : { threads }) })
  workshop.opened.push(model)
  return model
}

async function embedderSource(settings: InferenceSettings): Promise<ModelSource> {
  const { inferenceProfile, embeddingModel } = settings
  const isMini = embeddingModel === undefined ? inferenceProfile === "mini" : MINILM_NAMES.has(embeddingModel)
  if (isMini) return sourceOf(settings, (await buildModel(modelsFolder(settings))).folder, MINILM)
  // Called as its authors call it, so that vectors of a service that runs it stand in the same embedding space.
  if (embeddingModel === undefined) return sourceOf(settings, "Xenova/bge-m3", M3)
  return sourceOf(settings, embeddingModel)
}

const M3 = "BAAI/bge-m3"

/** What people call the embedded default. */
const MINILM_NAMES = new Set([MINILM, "Xenova/all-MiniLM-L6-v2", "all-MiniLM-L6-v2"])

/** A path is told from a name on Hugging Face by how it begins. */
function sourceOf(settings: InferenceSettings, model: string, name: string = model): ModelSource {
  const cacheFolder = modelsFolder(settings)
  const path = model.startsWith("~/") ? join(homedir(), model.slice(2)) : model
  if (/^(\.{0,2}\/|[a-z]:\\)/i.test(path)) return { name, location: resolve(path), cacheFolder }
  if (/^[\w.-]+\/[\w.-]+$/.test(path)) return { name, location: path, cacheFolder }
  throw misconfigured(
    "EMBEDDING_MODEL or RERANK_MODEL",
    `must be owner/name or a path that begins with / or ./, not ${model}`,
  )
}

function modelsFolder({ home }: InferenceSettings): string {
  return resolve(home, "models")
}

function openAiEmbedder(settings: InferenceSettings): Embedder {
  const { embeddingApiKey, openrouterApiKey, embeddingBaseUrl } = settings
  const usesOpenRouter = embeddingApiKey === undefined && openrouterApiKey !== undefined
  const baseUrl = embeddingBaseUrl ?? (usesOpenRouter ? OPENROUTER_URL : OPENAI_URL)
  if (baseUrl === OPENAI_URL && embeddingApiKey === undefined) {
    throw misconfigured(
      "EMBEDDING_API_KEY",
      "is needed: or set OPENROUTER_API_KEY, or the EMBEDDING_BASE_URL of a service without keys",
    )
  }
  const model = settings.embeddingModel ?? (usesOpenRouter ? "openai/text-embedding-3-small" : "text-embedding-3-small")
  const service = createInferenceService({
    setting: "EMBEDDING_BASE_URL",
    baseUrl: trimmed(baseUrl),
    apiKey: embeddingApiKey ?? openrouterApiKey,
  })
  return createOpenAiEmbedder({ service, model, dimensions: dimensionsOf(settings, model) })
}

const OPENAI_URL = "https://api.openai.com/v1"
const OPENROUTER_URL = "https://openrouter.ai/api/v1"

function serviceEmbedder(settings: InferenceSettings, url: string): Embedder {
  const model = settings.embeddingModel ?? (settings.inferenceProfile === "m3" ? M3 : MINILM)
  const service = createInferenceService({ setting: "EMBED_SERVICE_URL", baseUrl: trimmed(url) })
  const maxTokens = model === M3 ? 2_048 : model === MINILM ? 256 : 512
  return createTeiEmbedder({ service, model, dimensions: dimensionsOf(settings, model), maxTokens })
}

function dimensionsOf(settings: InferenceSettings, model: string): number {
  const dimensions = settings.embeddingDimensions ?? knownDimensions(model)
  if (dimensions === undefined) throw misconfigured("EMBEDDING_DIMENSIONS", `is needed for the model ${model}`)
  return dimensions
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, "")
}

function misconfigured(field: string, message: string): AppError {
  return new AppError("invalid_configuration", `${field} ${message}`, { fields: [{ field, message }] })
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
