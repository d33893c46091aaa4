import * as z from "zod"
import { CallerEmbedding, ChunkKind, DocumentId, LanguageTag, Region, StorableText, TenantId } from "../shapes.ts"
import { ANNOTATIONS_MAX, Anomaly, ChunkEntity } from "./annotations.ts"

/** Longest content of one document, in characters; the route's body limit is what a caller meets first. */
export const CONTENT_CHARS_MAX = 4_000_000
/** Longest content of one chunk that a caller made: 32,000 characters can't hold more than a sparsevec's 16,000 lexemes. */
export const CHUNK_CHARS_MAX = 32_000
const CHUNKS_MAX = 5_000
const METADATA_CHARS_MAX = 64_000

/** Facts of the caller's own about a document or a chunk. */
export const Metadata = z
  .record(z.string(), z.json())
  .refine(
    (metadata) => JSON.stringify(metadata).length <= METADATA_CHARS_MAX,
    `must be at most ${METADATA_CHARS_MAX} characters of JSON`,
  )
  .refine(
    (metadata) =>
      // JSON writes a NUL and a lone surrogate as an escape; after a backslash that is itself escaped it is only text.
      !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(JSON.stringify(metadata)),
    "must hold well-formed text without NUL characters",
  )

/** A chunk that the caller made. */
export const GivenChunk = z.object({
  content: StorableText.min(1).max(CHUNK_CHARS_MAX),
  kind: ChunkKind.default("text"),
  language: LanguageTag.optional(),
  regions: z.array(Region).max(100).default([]).describe("Where it stands on its pages"),
  metadata: Metadata.default({}),
  embedding: CallerEmbedding.optional(),
  translation: z
    .object({ language: LanguageTag, content: StorableText.min(1).max(CHUNK_CHARS_MAX) })
    .optional()
    .describe("The same text in a second language: its words find the chunk too"),
  anomalies: z.array(Anomaly).max(ANNOTATIONS_MAX).optional().describe("What is odd about it: `GET /anomalies`"),
  entities: z.array(ChunkEntity).max(ANNOTATIONS_MAX).optional().describe("Whom and what it names: `GET /entities`"),
  parent: z.int().min(0).optional().describe("Index into `parents`"),
})
export type GivenChunk = z.output<typeof GivenChunk>

/** Body of `POST /index`, and a line of `POST /index/batch`. */
export const IndexRequest = z
  .object({
    id: DocumentId,
    title: StorableText.max(2_000).default(""),
    content: StorableText.max(CONTENT_CHARS_MAX).optional().describe("Plain text; split into chunks when it is long"),
    embedding: CallerEmbedding.optional().describe("Vector of the content, stored as given"),
    embedding_model: StorableText.min(1)
      .max(200)
      .optional()
      .describe("Model of `embedding`; its dimensions name the space when absent"),
    source_account_id: TenantId.optional().describe(
      "Tenant; when absent the query string's, the key's only one, or `primary`",
    ),
    source_uri: StorableText.max(4_000).optional(),
    language: LanguageTag.optional().describe("Detected when absent"),
    metadata: Metadata.default({}),
    chunks: z
      .array(GivenChunk)
      .min(1)
      .max(CHUNKS_MAX)
      .optional()
      .describe("Chunks made by the caller, in reading order, in place of `content`"),
    parents: z
      .array(z.object({ content: StorableText.min(1).max(CHUNK_CHARS_MAX) }))
      .max(CHUNKS_MAX)
      .default([]),
  })
  .refine((request) => Boolean(request.content?.trim()) !== Boolean(request.chunks), {
    path: ["content"],
    message: "content (not blank) or chunks is required, and only one of them",
  })
  .refine(
    (request) =>
      (request.chunks ?? []).every((chunk) => chunk.parent === undefined || chunk.parent < request.parents.length),
    {
      path: ["chunks"],
      message: "a chunk's parent must be an index into parents",
    },
  )
  .refine((request) => !(request.chunks && request.embedding), {
    path: ["embedding"],
    message: "with chunks, each chunk carries its own embedding",
  })
export type IndexRequest = z.output<typeof IndexRequest>

/** What indexing one document did; everything but `status` is there only when there is something to say. */
export const IndexResponse = z.object({
  status: z.literal("indexed"),
  warnings: z
    .array(z.string())
    .optional()
    .describe("Fields that had no effect, texts that the model read only in part"),
})
export type IndexResponse = z.infer<typeof IndexResponse>
