import { type Context, Hono } from "hono"
import * as z from "zod"
import { AppError, invalidField } from "../../lib/errors.ts"
import type { Embedder, Reranker, TextKind } from "../../lib/inference/inference.ts"
import { type EmbeddingMeter, meterEmbedder } from "../../lib/inference/meter-embedder.ts"
import { StorableText } from "../../lib/shapes.ts"
import type { Guard } from "./auth.ts"
import type { Edge } from "./edge.ts"
import { validJson } from "./json-body.ts"
import type { Operation } from "./openapi.ts"
import { requestDeadline } from "./request-deadline.ts"
import { inferenceTenant, TenantQuery } from "./tenant.ts"

const TEXTS_MAX = 256
const TEXT_CHARS_MAX = 100_000
const BODY_BYTES_MAX = 10_000_000

/** A model reads any string; a lone surrogate has no UTF-8, so no model has a token for it. */
const Text = StorableText.min(1).max(TEXT_CHARS_MAX)
const Texts = z.union([Text.transform((text) => [text]), z.array(Text).min(1).max(TEXTS_MAX)])

const EmbedRequest = z.object({
  inputs: Texts.describe("One text, or a list"),
  normalize: z.literal(true, "must be true: the vectors have unit length").optional(),
  truncate: z.boolean().default(false).describe("Cut texts that are too long for the model, in place of an error"),
  prompt_name: z.enum(["query", "passage"]).default("passage").describe("What the texts are, for models that differ"),
})
const EmbedResponse = z.array(z.array(z.number())).describe("A unit vector a text, in order")

const RerankRequest = z.object({
  query: Text,
  texts: z.array(Text).min(1).max(TEXTS_MAX),
  raw_scores: z.boolean().default(false).describe("The model's own scores, in place of 0 to 1"),
  return_text: z.boolean().default(false),
})
const RerankResponse = z
  .array(z.object({ index: z.int(), score: z.number(), text: z.string().optional() }))
  .describe("Best first")

const EmbeddingsRequest = z.object({
  input: Texts.describe("One text, or a list"),
  model: z.string().max(500).optional().describe("The model served, or the last part of its name"),
  encoding_format: z.enum(["float", "base64"]).default("float").describe("`base64`: little-endian 32-bit floats"),
  dimensions: z.int().min(1).optional().describe("Must be the model's"),
  input_type: z.enum(["query", "passage", "document"]).default("passage"),
  user: z.string().max(1_000).optional().describe("Accepted, has no effect"),
})
const EmbeddingsResponse = z.object({
  object: z.literal("list"),
  model: z.string(),
  data: z.array(
    z.object({
      object: z.literal("embedding"),
      index: z.int(),
      embedding: z.union([z.array(z.number()), z.base64()]),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
})

interface Models {
  readonly embedder: Embedder | null
  readonly reranker: Reranker | null
}

interface InferenceRouteOptions {
  readonly guard: Guard
  readonly timeoutMs: number
  /** What is embedded for a tenant; absent where nobody's tenant is known. */
  readonly meter?: EmbeddingMeter | undefined
}

/** The models by themselves: `POST /embed` and `/rerank` as Hugging Face TEI has them, `/v1/embeddings` as OpenAI. */
export function inferenceRoute({ embedder, reranker }: Models, { guard, timeoutMs, meter }: InferenceRouteOptions) {
  const limits = { bytesMax: BODY_BYTES_MAX }

  async function embed(c: Context<Edge>, texts: readonly string[], kind: TextKind) {
    if (!embedder) throw new AppError("inference_unavailable", "No embedding model is configured here")
    const metered = meter ? meterEmbedder(embedder, await inferenceTenant(c), meter) : embedder
    return metered.embed(texts, kind, { signal: requestDeadline(c, timeoutMs).signal })
  }

  return new Hono<Edge>()
    .post("/embed", guard("inference"), validJson(EmbedRequest, limits), async (c) => {
      const { inputs, truncate, prompt_name } = c.req.valid("json")
      const { vectors, truncated } = await embed(c, inputs, prompt_name)
      const [first] = truncated
      if (first !== undefined && !truncate) {
        throw invalidField(
          `inputs.${first}`,
          `is longer than the ${embedder?.maxTokens} tokens the model reads; set truncate to true to cut it`,
        )
      }
      if (first !== undefined) c.header("x-truncated-inputs", truncated.join(","))
      return c.json(vectors.map((vector) => [...vector]) satisfies z.infer<typeof EmbedResponse>)
    })
    .post("/rerank", guard("inference"), validJson(RerankRequest, limits), async (c) => {
      if (!reranker) throw new AppError("inference_unavailable", "No reranking model is configured: set RERANK_MODEL")
      const { query, texts, raw_scores, return_text } = c.req.valid("json")
      const { signal } = requestDeadline(c, timeoutMs)
      const scores = await reranker.score(query, texts, { signal })
      const ranked = scores
        .map((score, index) => ({ index, score: raw_scores ? score : sigmoid(score) }))
        .sort((a, b) => b.score - a.score || a.index - b.index)
      const named = return_text ? ranked.map((hit) => ({ ...hit, text: texts[hit.index] ?? "" })) : ranked
      return c.json(named satisfies z.infer<typeof RerankResponse>)
    })
    .post("/v1/embeddings", guard("inference"), validJson(EmbeddingsRequest, limits), async (c) => {
      const { input, model, encoding_format, dimensions, input_type } = c.req.valid("json")
      requireModel(embedder, model, dimensions)
      const kind = input_type === "query" ? "query" : "passage"
      const { vectors, truncated, tokens } = await embed(c, input, kind)
      if (truncated.length > 0) c.header("x-truncated-inputs", truncated.join(","))
      const data = vectors.map((vector, index) => ({
        object: "embedding" as const,
        index,
        embedding: encoding_format === "base64" ? base64(vector) : [...vector],
      }))
      const usage = { prompt_tokens: tokens, total_tokens: tokens }
      const response = { object: "list" as const, model: embedder?.model ?? "", data, usage }
      return c.json(response satisfies z.infer<typeof EmbeddingsResponse>)
    })
}

function requireModel(embedder: Embedder | null, model: string | undefined, dimensions: number | undefined): void {
  if (!embedder) return
  const { model: served } = embedder
  if (model !== undefined && model !== served && model !== served.split("/").at(-1)) {
    throw invalidField("model", `must be ${served}, the model served here`)
  }
  if (dimensions !== undefined && dimensions !== embedder.dimensions) {
    throw invalidField("dimensions", `must be ${embedder.dimensions}, the length of the model's vectors`)
  }
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x))
}

function base64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64")
}

export const inferenceOperations: readonly Operation[] = [
  {
    method: "post",
    tag: "Models",
    path: "/embed",
    summary: "Embed texts, in the shape of Hugging Face TEI",
    scope: "inference",
    query: TenantQuery,
    request: { "application/json": ["EmbedRequest", EmbedRequest] },
    responses: { 200: { description: "The vectors", "application/json": ["EmbedResponse", EmbedResponse] } },
  },
  {
    method: "post",
    tag: "Models",
    path: "/rerank",
    summary: "Score texts against a query, in the shape of Hugging Face TEI",
    scope: "inference",
    request: { "application/json": ["RerankRequest", RerankRequest] },
    responses: { 200: { description: "The scores", "application/json": ["RerankResponse", RerankResponse] } },
  },
  {
    method: "post",
    tag: "Models",
    path: "/v1/embeddings",
    summary: "Embed texts, in OpenAI's shape",
    scope: "inference",
    query: TenantQuery,
    request: { "application/json": ["EmbeddingsRequest", EmbeddingsRequest] },
    responses: { 200: { description: "The vectors", "application/json": ["EmbeddingsResponse", EmbeddingsResponse] } },
  },
]
