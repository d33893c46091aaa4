import { createInferenceService } from "../inference/inference-service.ts"
import type { ChatModel } from "./chat-model.ts"
import { observeChatModel } from "./observe-chat-model.ts"
import { createOpenAiChatModel } from "./openai-chat-model.ts"

/** Which language model to use; each field is the setting of the same name in capitals. */
export interface LlmSettings {
  readonly useVllm: boolean
  /** Up to and with `/v1`, as the other two. */
  readonly vllmBaseUrl: string
  readonly vllmModel: string
  readonly vllmApiKey?: string | undefined
  readonly llmBaseUrl?: string | undefined
  readonly llmModel?: string | undefined
  readonly llmApiKey?: string | undefined
  readonly openrouterApiKey?: string | undefined
  readonly openrouterModel: string
  readonly llmTemperature: number
  /** Of a call with all its attempts, ms. */
  readonly llmTimeoutMs: number
  /** Of an answer, tokens. */
  readonly llmMaxTokens: number
}

const OPENROUTER_URL = "https://openrouter.ai/api/v1"
/** 32,000 tokens of text, the most that may be asked for, with JSON's escapes and the envelope. */
const ANSWER_BYTES_MAX = 2_000_000

/** Where a model is. */
interface Place {
  readonly setting: string
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly model: string
  readonly extraBody?: Readonly<Record<string, unknown>>
}

/** The language model that the settings name: vLLM, any other service, OpenRouter, in this order; null where they name none. */
export function openLlm(settings: LlmSettings): ChatModel | null {
  const place = placeOf(settings)
  if (!place) return null
  const { setting, apiKey, model, extraBody } = place
  const service = createInferenceService({
    setting,
    baseUrl: place.baseUrl.replace(/\/+$/, ""),
    apiKey,
    attemptTimeoutMs: settings.llmTimeoutMs,
    callTimeoutMs: settings.llmTimeoutMs,
    answerBytesMax: ANSWER_BYTES_MAX,
  })
  const { llmTemperature: temperature, llmMaxTokens: replyTokensMax } = settings
  return observeChatModel(
    createOpenAiChatModel({ service, model, temperature, replyTokensMax, ...(extraBody && { extraBody }) }),
  )
}

function placeOf(settings: LlmSettings): Place | null {
  const { useVllm, vllmBaseUrl, vllmModel, vllmApiKey } = settings
  if (useVllm) return { setting: "VLLM_BASE_URL", baseUrl: vllmBaseUrl, apiKey: vllmApiKey, model: vllmModel }
  const { llmBaseUrl, llmApiKey, llmModel } = settings
  // The configuration demands a model with the URL.
  if (llmBaseUrl) return { setting: "LLM_BASE_URL", baseUrl: llmBaseUrl, apiKey: llmApiKey, model: llmModel ?? "" }
  const { openrouterApiKey: apiKey, openrouterModel: model } = settings
  if (!apiKey) return null
  // Only to providers that hold the model to the answer's shape.
  const extraBody = { provider: { require_parameters: true } }
  return { setting: "OPENROUTER_API_KEY", baseUrl: OPENROUTER_URL, apiKey, model, extraBody }
}
