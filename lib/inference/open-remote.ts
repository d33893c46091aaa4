import type { Embedder, Reranker } from "./inference.ts"
import { createInferenceService, type InferenceService } from "./inference-service.ts"
import { type InferenceSettings, misconfigured } from "./inference-settings.ts"
import { M3, MINILM } from "./model-source.ts"
import { askOpenAiDimensions, createOpenAiEmbedder } from "./openai-embedder.ts"
import { askTeiDimensions, createTeiEmbedder } from "./tei-embedder.ts"
import { createTeiReranker } from "./tei-reranker.ts"

const OPENAI_URL = "https://api.openai.com/v1"
const OPENROUTER_URL = "https://openrouter.ai/api/v1"

/** Dimensions of well-known models, by the last part of their names in lower case; others are asked for. */
const KNOWN_DIMENSIONS: ReadonlyMap<string, number> = new Map([
  ["text-embedding-3-small", 1536],
  ["text-embedding-3-large", 3072],
  ["text-embedding-ada-002", 1536],
  ["bge-m3", 1024],
  ["all-minilm-l6-v2", 384],
])

/** Longest inputs, in tokens, of the models that a service of ours runs. */
const KNOWN_TOKENS_MAX: ReadonlyMap<string, number> = new Map([
  [M3, 2_048],
  [MINILM, 512],
])

/**
 * The embedder of the profile `openai`. A model of unknown dimensions is asked for them by embedding one word.
 *
 * @throws AppError `invalid_configuration` without a key where one is needed, `inference_unavailable` when asking fails
 */
export async function openOpenAiEmbedder(settings: InferenceSettings): Promise<Embedder> {
  const { embeddingApiKey, openrouterApiKey, embeddingBaseUrl } = settings
  const usesOpenRouter =
    openrouterApiKey !== undefined &&
    embeddingApiKey === undefined &&
    (embeddingBaseUrl ?? OPENROUTER_URL) === OPENROUTER_URL
  const baseUrl = embeddingBaseUrl ?? (usesOpenRouter ? OPENROUTER_URL : OPENAI_URL)
  if (baseUrl === OPENAI_URL && embeddingApiKey === undefined) {
    throw misconfigured(
      "EMBEDDING_API_KEY",
      "is needed; or set OPENROUTER_API_KEY, or the EMBEDDING_BASE_URL of a service that asks for none",
    )
  }
  // OpenRouter's key goes to OpenRouter alone, whatever the base URL is.
  const apiKey = usesOpenRouter ? openrouterApiKey : embeddingApiKey
  const service = createInferenceService({ setting: "EMBEDDING_BASE_URL", baseUrl: trimmed(baseUrl), apiKey })
  const model = settings.embeddingModel ?? (usesOpenRouter ? "openai/text-embedding-3-small" : "text-embedding-3-small")
  const ownDimensions = knownDimensions(model)
  const dimensions = settings.embeddingDimensions ?? ownDimensions ?? (await askOpenAiDimensions(service, model))
  return createOpenAiEmbedder({ service, model, dimensions, ownDimensions })
}

/** Models that run elsewhere. */
interface RemoteModels {
  readonly embedder: Embedder | null
  readonly reranker: Reranker | null
}

/**
 * The models of the settings where all of them run elsewhere: an OpenAI-compatible endpoint, or `service`, which runs
 * both. What neither is there for is null.
 */
export async function openRemoteModels(
  settings: InferenceSettings,
  service: InferenceService | null,
): Promise<RemoteModels> {
  const { inferenceProfile, embeddingModel, rerankModel } = settings
  const reranker = service && rerankModel !== "none" ? openServiceReranker(service) : null
  if (embeddingModel === "none") return { embedder: null, reranker }
  if (inferenceProfile === "openai") return { embedder: await openOpenAiEmbedder(settings), reranker }
  return { embedder: service && (await openServiceEmbedder(settings, service)), reranker }
}

/** A service in the shape of Text Embeddings Inference; the key, if it wants one, is sent as a bearer token. */
export function serviceAt(url: string, apiKey?: string): InferenceService {
  return createInferenceService({ setting: "EMBED_SERVICE_URL", baseUrl: trimmed(url), apiKey, isOurs: true })
}

/** The embedder that such a service runs; asked for its dimensions when unknown. */
export async function openServiceEmbedder(settings: InferenceSettings, service: InferenceService): Promise<Embedder> {
  const model = settings.embeddingModel ?? (settings.inferenceProfile === "m3" ? M3 : MINILM)
  const dimensions = settings.embeddingDimensions ?? knownDimensions(model) ?? (await askTeiDimensions(service))
  return createTeiEmbedder({ service, model, dimensions, maxTokens: KNOWN_TOKENS_MAX.get(model) ?? 512 })
}

/** The reranker that such a service runs. */
export function openServiceReranker(service: InferenceService): Reranker {
  return createTeiReranker({ service, model: `the reranker at ${service.host}` })
}

function knownDimensions(model: string): number | undefined {
  return KNOWN_DIMENSIONS.get(model.slice(model.lastIndexOf("/") + 1).toLowerCase())
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, "")
}
