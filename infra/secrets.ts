import { stage } from "./stage.ts"

/** The first API key, for every tenant and scope; `migrate` stores its digest. */
export const apiKey = new sst.Secret("ApiKey")

/** Key of the language model that answers. Empty: no answers, and everything else works. */
export const llmApiKey = new sst.Secret("LlmApiKey", "")

/** Key of the embedding endpoint of the `openai` profile. */
export const embeddingApiKey = new sst.Secret("EmbeddingApiKey", "")

/** Key of the service at EMBED_SERVICE_URL, if it wants one. */
export const embedServiceApiKey = new sst.Secret("EmbedServiceApiKey", "")

/** Key of the services that `concordance spaces create` named and no setting names, if they want one: for whoever embeds for a tenant. */
export const spacesApiKey = new sst.Secret("SpacesApiKey", "")

/** What opens the index that VECTORDB_PROVIDER names: its key, which may be empty where none is asked for. */
export const indexLinks = linksOf(stage.vectordbProvider)

function linksOf(provider: typeof stage.vectordbProvider): sst.Secret[] {
  switch (provider) {
    case "concordance":
      return []
    case "qdrant":
      return [new sst.Secret("QdrantApiKey", "")]
    case "pinecone":
      return [new sst.Secret("PineconeApiKey")]
    case "weaviate":
      return [new sst.Secret("WeaviateApiKey", "")]
    case "chroma":
      return [new sst.Secret("ChromaApiKey", "")]
    case "pgvector":
      return [new sst.Secret("PgvectorUrl")]
  }
}
