import type { EnvironmentKey } from "./environment-schema.ts"

/**
 * What each key of the environment does, in words for docs/configuration.md. Apart from the keys, because every Lambda loads
 * those, and none of them these 12 kB.
 */
export const keyDescriptions: Readonly<Record<EnvironmentKey, string>> = {
  DATABASE_URL:
    "PostgreSQL 15 or newer with pgvector, as the role `concordance_login`. Unset: the embedded database under `CONCORDANCE_HOME`",
  MIGRATION_DATABASE_URL:
    "The same database as its owner, for migrations, keys and index builds. Unset: `DATABASE_URL` does all of it, and the start says so",
  CONCORDANCE_HOME: "Where the embedded database, stored files and the converted models live; made when missing",
  OBJECT_STORE_BUCKET:
    "S3 bucket for uploads and pictures, with the credentials that AWS's SDK finds (role, profile, `AWS_ACCESS_KEY_ID`). Unset: files under `CONCORDANCE_HOME/objects`",
  OBJECT_STORE_ENDPOINT: "Where a store that speaks S3 but isn't Amazon's answers (MinIO, R2, Ceph)",
  OBJECT_STORE_REGION: "Region of the bucket. Unset: `AWS_REGION` or the profile's; with an endpoint `us-east-1`",
  OBJECT_STORE_PATH_STYLE:
    "Whether the bucket's name stands in the URL's path in place of its host. Unset: `true` with an endpoint, else `false`",
  DATA_DIR: "What `concordance ingest` reads when it is given no file or folder",
  DOCUMENT_BYTES_MAX: "Largest file that is taken in, bytes",
  RETENTION_DAYS:
    "Documents that nobody has replaced for so many days are deleted, as by DELETE. Unset: they stay for ever",
  DOCUMENT_PAGES_MAX: "Most pages of a file that is taken in",
  INGEST_CONCURRENCY: "Pages read at once, each in a thread of its own, all files together",
  HOST: "Address to listen on. Any but a loopback one needs an API key, or `CONCORDANCE_SERVE_WITHOUT_KEYS`",
  PORT: "Port to listen on; 0 takes a free one and prints it",
  SHUTDOWN_DELAY_MS:
    "After SIGTERM: how long requests are still taken while `/health/ready` says 503, ms; as long as a balancer needs to notice",
  SHUTDOWN_GRACE_MS: "After that: how long requests under way may take to finish, ms",
  CONCORDANCE_SERVE_WITHOUT_KEYS:
    "`true` lets everyone who can reach the port read, write and delete the rows of every tenant",
  TRUSTED_PROXIES:
    "Proxies of yours in front, each of which adds to `X-Forwarded-For` whom it saw: wrong keys are counted for the address that the farthest one saw. 0 believes no header",
  CORS_ORIGINS:
    "Origins whose pages may call the API from a browser, each with a key of its own. `*` is refused. Unset: none but the service's own",
  WEBHOOK_HOSTS:
    "Hosts that `concordance webhooks add` takes, and the only ones that are ever told of documents. A private address only where it is listed as the IP itself, or as `localhost`. Unset: none",
  SERVE_API_DOCS: "`false` takes away `/docs` and `/openapi.json`: they are 404 then, as any unknown path",
  LOG_LEVEL: "Least serious log line that is written; `debug` adds a line a request",
  CHUNK_SIZE: "Characters of a chunk. Unset: about 256 tokens of the embedding model",
  CHUNK_OVERLAP:
    "Characters with which a chunk repeats the end of the one before; at most half of `CHUNK_SIZE`, without which it has no effect. Unset: none",
  PARENT_CHUNK_SIZE:
    "Characters of a parent chunk, at least `CHUNK_SIZE`. Unset: about 1,024 tokens, or four times `CHUNK_SIZE` where that is set",
  SEARCH_STRATEGY: "How `/search` fuses its two lists when the request names no `strategy`",
  SEARCH_DENSE_CANDIDATES: "Chunks that the list by meaning brings to the fusion",
  SEARCH_LEXICAL_CANDIDATES: "Chunks that the list by words brings to the fusion",
  RERANK_CANDIDATES: "Fused hits that the reranker reads when a request asks for `rerank`",
  RETRIEVAL_K_INITIAL: "Passages that `concordance search --funnel` takes from the search",
  RETRIEVAL_K_MMR: "Passages of those that its diversification keeps",
  RETRIEVAL_K_RERANK: "Passages of those that its reranking keeps",
  RETRIEVAL_LAMBDA: "Share of relevance in maximal marginal relevance; what is left is for variety",
  INFERENCE_PROFILE:
    "`mini`: all-MiniLM-L6-v2 in process, offline. `m3`: BGE-M3 and BGE-Reranker-v2-M3. `openai`: any OpenAI-compatible endpoint",
  EMBEDDING_MODEL:
    "Embedding model in place of the profile's: a Hugging Face name, a local folder (`./…`, `/…`), the endpoint's name for it, or `none` to search by words alone",
  EMBEDDING_BASE_URL:
    "OpenAI-compatible endpoint of the `openai` profile, up to and with `/v1`. Unset: OpenRouter when only its key is set, else api.openai.com",
  EMBEDDING_API_KEY: "Key of `EMBEDDING_BASE_URL`",
  EMBEDDING_DIMENSIONS:
    "Length of the model's vectors; needed for a model behind a service that Concordance does not know",
  OPENROUTER_API_KEY:
    "Key of openrouter.ai, for the `openai` profile and for a language model there: set for one, it opens both, so that questions are answered by `OPENROUTER_MODEL`, at its price",
  EMBED_SERVICE_URL:
    "A service in the shape of Hugging Face TEI that reranks and, unless the profile is `openai`, embeds, in place of the models in process",
  EMBED_SERVICE_API_KEY: "Key of `EMBED_SERVICE_URL`, if it wants one",
  SPACES_API_KEY:
    "Key of the services that `concordance spaces create` named and no other setting names: see *Another model* in docs/operations.md",
  INFERENCE_API_KEY:
    "Key that callers of `concordance inference serve` must send. Unset: it listens on a loopback address alone",
  RERANK_MODEL: "Cross-encoder in place of the profile's reranker: a Hugging Face name, a local folder, or `none`",
  RATE_PER_KEY: "Requests a minute of a key that was made without a rate of its own. Unset: unlimited",
  RATE_PER_TENANT: "Requests a minute that concern one tenant, whichever keys they come with. Unset: unlimited",
  SEARCHES_PER_TENANT_MAX:
    "Searches and answers of one tenant at once; as many again may wait for a second. More get 429. Unset: unlimited",
  INFERENCE_TOKENS_PER_DAY:
    "Most tokens that the embedding model reads in a day (UTC) for a tenant's `/embed`, `/v1/embeddings` and `/index`; then 429 until the next. Unset: unlimited",
  INFERENCE_QUEUE_MAX:
    "Questions that may wait for a model in this process, and an eighth as many requests with texts to embed, whose bodies are larger; one more gets 503, a search is answered by words alone",
  DATABASE_QUEUE_MAX:
    "Units of work of requests that the database may have at once, those that wait among them; one more gets 503",
  DATABASE_TIMEOUT_MS:
    "Longest that a request waits for the database where no deadline of its own says so, ms; then 503, or 504 where the database still speaks",
  SEARCH_TIMEOUT_MS: "Longest a search may take, ms; then 504",
  INDEX_TIMEOUT_MS: "Longest that indexing one request, or one group of lines of a batch, may take, ms",
  EMBED_TIMEOUT_MS: "Longest a search waits for the query's vector, ms; then it answers by words alone and says so",
  RERANK_TIMEOUT_MS: "Longest a search waits for the reranker, ms; then it keeps the fused order and says so",
  NSELF_LICENSE_KEY: "The retrieval plugin wanted one; accepted and never read",
  USE_VLLM: "`true` asks the model of `VLLM_BASE_URL`. Else that of `LLM_BASE_URL`, or OpenRouter's, where set",
  VLLM_BASE_URL: "vLLM's OpenAI-compatible server, up to and with `/v1`",
  VLLM_MODEL: "What it calls its model",
  VLLM_API_KEY: "Key of `VLLM_BASE_URL`, where it asks for one",
  LLM_BASE_URL: "Any other OpenAI-compatible service, up to and with `/v1`",
  LLM_MODEL: "What it calls its model; needed with `LLM_BASE_URL`",
  LLM_API_KEY: "Key of `LLM_BASE_URL`",
  OPENROUTER_MODEL: "Language model at openrouter.ai, where `OPENROUTER_API_KEY` is set and no other service is",
  LLM_TEMPERATURE: "How freely the model chooses its words; 0 gives the likeliest",
  LLM_TIMEOUT_MS: "Longest that one call of it may take with all its attempts, ms",
  LLM_MAX_TOKENS: "Longest answer of one call, tokens; with as many of a question it must fit the model's context",
  ENRICH_DOCUMENTS:
    "`true` has the language model translate, annotate and describe what uploaded files hold: docs/enrichment.md. Off, because it costs tokens and sends every document to the service",
  ENRICH_TOKENS_MAX:
    "Most tokens, asked and answered, that the enrichment of one upload takes; what is left then is published without",
  MAX_RETRIES:
    "Most times that an answer is tried again, written anew or searched anew, where the request names no `max_retries`",
  RELEVANCE_GRADER:
    "Who judges whether a passage bears on the question: the language model, one call a passage, or the reranker, which costs no tokens. Without a reranker always `llm`",
  RELEVANCE_SCORE_MIN:
    "Reranker's score from which a passage counts as relevant. Unset: .35 of `mini`'s reranker, whose scores go from 0 to 1; 0 of cross-encoders and services, whose scores are logits",
  ANSWER_CONCURRENCY: "Calls of the language model that one answer makes at once",
  ANSWER_TOKENS_MAX:
    "Most tokens, asked and answered, that one answer takes; it then ends with what there is, and says so",
  ANSWER_TOKENS_PER_DAY: "Most tokens that the answers of a tenant take in a day (UTC); then 429 until the next",
  ANSWER_TIMEOUT_MS: "Longest that an answer may take with all its retries, ms; it ends with what there is, else 504",
  VECTORDB_PROVIDER:
    "The index that `/search` and retrieval read: Concordance's own, or one that is there already: docs/external-indexes.md",
  VECTORDB_HYBRID_STRATEGY:
    "How its two lists are fused, by `/search` when the request names no `strategy` and by retrieval. No effect on Concordance's own",
  VECTORDB_NATIVE_HYBRID: "`true` leaves `rrf` to the engine, where it has a fusion; engines' rank constants differ",
  VECTORDB_TENANCY:
    "Whose the records are. `single`: all of `VECTORDB_TENANT`. `partition`: each tenant's are in the engine's namespace or tenant of its name. `field`: of whom `VECTORDB_TENANT_FIELD` says",
  VECTORDB_TENANT: "The one tenant that may search the index, where `VECTORDB_TENANCY` is `single`",
  VECTORDB_TENANT_FIELD: "Field of the payload that names a record's tenant, where `VECTORDB_TENANCY` is `field`",
  RETRIEVAL_COLLECTION: "Collection, class or table that is searched (`schema.table` for pgvector)",
  PARENT_EXPANSION_COLLECTION: "Collection with the texts that hits are expanded to; `null` turns that off",
  VECTORDB_CONTENT_FIELD: "Field of a record's payload that has its text; dots go into objects. Unset: guessed",
  VECTORDB_TITLE_FIELD: "Field of a record's payload that has its title; dots go into objects. Unset: guessed",
  VECTORDB_DOCUMENT_FIELD:
    "Field of a record's payload that has the id of its document; dots go into objects. Unset: guessed",
  VECTORDB_CHUNK_FIELD:
    "Field of a record's payload that has its name within the document, as citations give it; dots go into objects. Unset: guessed",
  VECTORDB_PAGE_FIELD: "Field of a record's payload that has its page, from 1; dots go into objects. Unset: guessed",
  VECTORDB_PARENT_FIELD:
    "Field of a record's payload that has the id of its parent in `PARENT_EXPANSION_COLLECTION`; dots go into objects. Unset: guessed",
  VECTORDB_METADATA_FIELD:
    "Field of a record's payload that has an object with what filters ask for; dots go into objects. Unset: guessed",
  QDRANT_URL: "Qdrant's REST address",
  QDRANT_API_KEY: "Key of `QDRANT_URL`",
  QDRANT_VECTOR: "Which of a collection's dense vectors is searched. Unset: its only one",
  QDRANT_SPARSE:
    "`true`: collections have the sparse vector `concordance_words`, or are made with it, for a list by words",
  PINECONE_API_KEY: "Pinecone's key",
  PINECONE_INDEX_NAME: "Pinecone's index. A collection is a namespace in it, unless `VECTORDB_TENANCY` is `partition`",
  PINECONE_HOST: "Host of `PINECONE_INDEX_NAME`. Unset: asked of the control plane at the first call",
  PINECONE_SPARSE_INDEX_NAME: "Pinecone's index of sparse vectors that Concordance wrote, for a list by words",
  PINECONE_PARENT_INDEX_NAME:
    "Pinecone's index of `PARENT_EXPANSION_COLLECTION`. Unset: `PINECONE_INDEX_NAME`, which isn't enough where `VECTORDB_TENANCY` is `partition`",
  PINECONE_CONTROLLER_HOST: "Pinecone's control plane, which knows the hosts of indexes",
  WEAVIATE_URL: "Weaviate's REST address",
  WEAVIATE_API_KEY: "Key of `WEAVIATE_URL`",
  WEAVIATE_VECTOR: "Which of a class's named vectors is searched. Unset: its only one",
  CHROMA_URL:
    "A Chroma server (1.0 or newer). Unset: one is started by the command `chroma run` on `CHROMA_PERSIST_DIR`, where that is installed",
  CHROMA_API_KEY: "Key of `CHROMA_URL`, sent as `x-chroma-token`",
  CHROMA_PERSIST_DIR: "Folder of Chroma's data, where no `CHROMA_URL` is set",
  PGVECTOR_URL: "PostgreSQL with the table of vectors; a role that may only read it is enough",
  PGVECTOR_ID_COLUMN: "Column with its key, of any type",
  PGVECTOR_CONTENT_COLUMN: "Column with its text",
  PGVECTOR_EMBEDDING_COLUMN: "Column of type `vector` or `halfvec`",
  PGVECTOR_METADATA_COLUMN:
    "Column of type `json` or `jsonb` that filters and the mapping read; the table's other columns are read beside it",
  PGVECTOR_TSVECTOR_COLUMN:
    "Column of type `tsvector`, for a list by words. Unset: words rank what lies near the question alone",
  PGVECTOR_TEXT_CONFIG: "Text search configuration that `PGVECTOR_TSVECTOR_COLUMN` was made with",
}
