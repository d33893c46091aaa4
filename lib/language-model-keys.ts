import { decimal, flag, httpUrl, httpUrlOr, name, nameOr, secret, whole } from "./environment-keys.ts"

/** Keys of the environment that choose a language model and say what it may do. */
export const languageModelKeys = {
  USE_VLLM: flag({
    group: "Language model",
  }),
  VLLM_BASE_URL: httpUrlOr("http://localhost:8000/v1", {
    group: "Language model",
  }),
  VLLM_MODEL: nameOr("qwen2.5-7b-instruct-awq", { group: "Language model" }),
  VLLM_API_KEY: secret({ group: "Language model" }),
  LLM_BASE_URL: httpUrl({
    group: "Language model",
  }),
  LLM_MODEL: name({ group: "Language model" }),
  LLM_API_KEY: secret({ group: "Language model" }),
  OPENROUTER_MODEL: nameOr("openai/gpt-4.1-mini", {
    group: "Language model",
    alias: "CHAT_MODEL",
  }),
  LLM_TEMPERATURE: decimal(0, 2, "0", {
    group: "Language model",
  }),
  LLM_TIMEOUT_MS: whole(100, 600_000, 60_000, {
    group: "Language model",
  }),
  LLM_MAX_TOKENS: whole(256, 32_000, 4_096, {
    group: "Language model",
  }),
  ENRICH_DOCUMENTS: flag({
    group: "Language model",
  }),
  ENRICH_TOKENS_MAX: whole(1_000, 999_999_999, 1_000_000, {
    group: "Language model",
  }),
}
