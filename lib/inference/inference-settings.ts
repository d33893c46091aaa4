import { AppError } from "../errors.ts"

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
  readonly embedServiceApiKey?: string | undefined
  /** A cross-encoder that runs in this process: a name on Hugging Face, a local folder, or `none`. */
  readonly rerankModel?: string | undefined
  /** Threads of the models in this process; as many as there are cores, at most 8, when not given. */
  readonly threads?: number | undefined
  /** Questions that may wait for the models of this process; 256 when not given. */
  readonly inferenceQueueMax?: number | undefined
}

/** The error of a setting that is missing or wrong, by its name in the environment. */
export function misconfigured(field: string, message: string): AppError {
  return new AppError("invalid_configuration", `${field} ${message}`, { fields: [{ field, message }] })
}
