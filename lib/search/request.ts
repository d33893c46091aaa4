import * as z from "zod"
import { CallerEmbedding, LanguageTag, QUERY_CHARS_MAX, StorableText, Strategy, TenantId } from "../shapes.ts"
import { Filter } from "./filter.ts"

/** Most hits of one page of results. */
const TOP_K_MAX = 200

/** Body of `POST /search`, and the input of `search()`. */
export const SearchRequest = z
  .object({
    query: StorableText.max(QUERY_CHARS_MAX)
      .optional()
      .describe('Words to find; `"a phrase"` must match, `-word` excludes'),
    embedding: CallerEmbedding.optional().describe("Vector of the query; wins over the configured model"),
    embedding_model: StorableText.min(1)
      .max(200)
      .optional()
      .describe("Model of `embedding`; told from its dimensions when absent"),
    top_k: z.int().min(1).max(TOP_K_MAX).default(10).describe("Hits to return"),
    source_account_id: TenantId.optional().describe(
      "Tenant; when absent the query string's, the key's only one, or `primary`",
    ),
    strategy: Strategy.optional().describe("How the two lists are fused; SEARCH_STRATEGY when absent"),
    alpha: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("`weighted`: share of meaning; when absent what the tenant was tuned to, else 0.5"),
    rrf_k: z.int().min(1).max(1_000).default(60).describe("`rrf`: rank constant"),
    group_by: z.enum(["document", "chunk"]).default("document").describe("What is ranked"),
    filter: Filter.optional(),
    language: LanguageTag.optional().describe("Language of the query; told from its stop words when absent"),
    mmr: z.boolean().default(false).describe("Diversify by maximal marginal relevance"),
    lambda: z.number().min(0).max(1).optional().describe("`mmr`: share of relevance; RETRIEVAL_LAMBDA when absent"),
    rerank: z.boolean().default(false).describe("Reorder the top by the reranking model"),
    expand_parents: z.boolean().default(false).describe("Replace a chunk by its parent, once each"),
    highlight: z.boolean().default(false).describe("Mark the words of each hit that match the query"),
    explain: z.boolean().default(false).describe("Return each stage's list with its scores"),
    cursor: z.string().max(500).optional().describe("`next_cursor` of the page before"),
  })
  .refine((request) => request.query?.trim() || request.embedding, {
    path: ["query"],
    message: "query or embedding is required",
  })
export type SearchRequest = z.output<typeof SearchRequest>
