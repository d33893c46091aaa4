/** The first API key, for every tenant and scope; `migrate` stores its digest. */
export const apiKey = new sst.Secret("ApiKey")

/** Key of the language model that answers. Empty: no answers, and everything else works. */
export const llmApiKey = new sst.Secret("LlmApiKey", "")

/** Key of the embedding endpoint of the `openai` profile. */
export const embeddingApiKey = new sst.Secret("EmbeddingApiKey", "")

/** Key of the service at EMBED_SERVICE_URL, if it wants one. */
export const embedServiceApiKey = new sst.Secret("EmbedServiceApiKey", "")
