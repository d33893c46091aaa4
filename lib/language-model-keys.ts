import { decimal, flag, httpUrl, httpUrlOr, name, nameOr, secret, whole } from "./environment-keys.ts"

/** Keys of the environment that choose a language model and say what it may do. */
export const languageModelKeys = {
  USE_VLLM: flag({
    group: "Language model",
    description: "`true` asks the model of `VLLM_BASE_URL`. Else that of `LLM_BASE_URL`, or OpenRouter's, where set",
  }),
  VLLM_BASE_URL: httpUrlOr("http://localhost:8000/v1", {
    group: "Language model",
    description: "vLLM's OpenAI-compatible server, up to and with `/v1`",
  }),
  VLLM_MODEL: nameOr("qwen2.5-7b-instruct-awq", { group: "Language model", description: "What it calls its model" }),
  VLLM_API_KEY: secret({ group: "Language model", description: "Key of `VLLM_BASE_URL`, where it asks for one" }),
  LLM_BASE_URL: httpUrl({
    group: "Language model",
    description: "Any other OpenAI-compatible service, up to and with `/v1`",
  }),
  LLM_MODEL: name({ group: "Language model", description: "What it calls its model; needed with `LLM_BASE_URL`" }),
  LLM_API_KEY: secret({ group: "Language model", description: "Key of `LLM_BASE_URL`" }),
  OPENROUTER_MODEL: nameOr("openai/gpt-4.1-mini", {
    group: "Language model",
    alias: "CHAT_MODEL",
    description: "Language model at openrouter.ai, where `OPENROUTER_API_KEY` is set and no other service is",
  }),
  LLM_TEMPERATURE: decimal(0, 2, "0", {
    group: "Language model",
    description: "How freely the model chooses its words; 0 gives the likeliest",
  }),
  LLM_TIMEOUT_MS: whole(100, 600_000, 60_000, {
    group: "Language model",
    description: "Longest that one call of it may take with all its attempts, ms",
  }),
  LLM_MAX_TOKENS: whole(256, 32_000, 4_096, {
    group: "Language model",
    description: "Longest answer of one call, tokens; with as many of a question it must fit the model's context",
  }),
  ENRICH_DOCUMENTS: flag({
    group: "Language model",
    description:
      "`true` has the language model translate, annotate and describe what uploaded files hold: docs/enrichment.md. Off, because it costs tokens and sends every document to the service",
  }),
  ENRICH_TOKENS_MAX: whole(1_000, 999_999_999, 1_000_000, {
    group: "Language model",
    description:
      "Most tokens, asked and answered, that the enrichment of one upload takes; what is left then is published without",
  }),
}
