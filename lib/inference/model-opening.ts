import * as z from "zod"
import { AppError } from "../errors.ts"
import type { InferenceSettings } from "./inference-settings.ts"

const ServiceUrl = z.url({ protocol: /^https?$/ }).refine((url) => new URL(url).password === "")

/**
 * How a process opens the model that a tenant's vectors are made by, as its space keeps it. It holds no key: those are the
 * settings'.
 */
export const ModelOpening = z.object({
  /** As EMBEDDING_MODEL would name it. */
  model: z.string().min(1).max(500),
  profile: z.enum(["mini", "m3", "openai"]),
  /** Of an OpenAI-compatible endpoint; with the profile `openai` alone. */
  baseUrl: ServiceUrl.optional(),
  /** Of a service in the shape of Text Embeddings Inference. */
  serviceUrl: ServiceUrl.optional(),
  dimensions: z.int().min(1).max(4_000).optional(),
})
export type ModelOpening = z.infer<typeof ModelOpening>

/** The settings of this process's models, with the key for services that only a space names. */
export interface OpeningSettings extends InferenceSettings {
  readonly spacesApiKey?: string | undefined
}

/** How the model that the settings name would be opened by a process of other settings. */
export function openingOf(settings: InferenceSettings, model: string): ModelOpening {
  const { inferenceProfile: profile, embeddingBaseUrl, embedServiceUrl, embeddingDimensions } = settings
  const isOpenAi = profile === "openai"
  return {
    model: isOpenAi ? (settings.embeddingModel ?? model) : model,
    profile,
    ...(isOpenAi && embeddingBaseUrl !== undefined && { baseUrl: embeddingBaseUrl }),
    ...(!isOpenAi && embedServiceUrl !== undefined && { serviceUrl: embedServiceUrl }),
    ...(embeddingDimensions !== undefined && { dimensions: embeddingDimensions }),
  }
}

/**
 * The settings that open it: those of this process, but for the model. A key of the settings goes to the host that the
 * settings name for it; any other gets SPACES_API_KEY.
 */
export function settingsOf(opening: ModelOpening, settings: OpeningSettings): InferenceSettings {
  const { model, profile, baseUrl, serviceUrl, dimensions } = opening
  const keyFor = (url: string | undefined, known: string | undefined, key: string | undefined) =>
    originOf(url) === originOf(known) ? key : settings.spacesApiKey
  return {
    ...settings,
    rerankModel: "none",
    inferenceProfile: profile,
    embeddingModel: model,
    embeddingDimensions: dimensions,
    embeddingBaseUrl: baseUrl,
    embeddingApiKey: keyFor(baseUrl, settings.embeddingBaseUrl, settings.embeddingApiKey),
    embedServiceUrl: serviceUrl,
    embedServiceApiKey: keyFor(serviceUrl, settings.embedServiceUrl, settings.embedServiceApiKey),
  }
}

function originOf(url: string | undefined): string | null {
  return url === undefined ? null : new URL(url).origin
}

/** Reads what a space keeps. Throws `invalid_configuration` for what an older or newer version wrote otherwise. */
export function parseOpening(value: unknown, model: string): ModelOpening {
  const parsed = ModelOpening.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AppError(
    "invalid_configuration",
    `The space of ${model} doesn't say how to open its model. Create it again: concordance spaces create`,
  )
}
