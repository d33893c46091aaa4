import * as z from "zod"
import { ChunkKind, Region, Strategy, Translation } from "../shapes.ts"

/** One hit. `similarity` and `text_rank` are there only when that list ran and saw the hit (or scored it: `weighted`). */
export const SearchHit = z.object({
  id: z.string().describe("Document id"),
  source_account_id: z.string(),
  title: z.string(),
  content: z.string().describe("Text of the best chunk, or of its parent with `expand_parents`"),
  similarity: z.number().optional().describe("Cosine similarity of query and chunk"),
  text_rank: z.number().optional().describe("BM25 score of the chunk"),
  rrf_score: z.number().describe("Reciprocal rank fusion of the two lists"),
  score: z.number().describe("What the hits are sorted by"),
  chunk_id: z.string(),
  page: z.int().optional(),
  regions: z.array(Region).optional(),
  citation: z.string().describe("`[[doc/p007#c0042]]`"),
  page_url: z.string().optional().describe("Path of its page, where the document has pages"),
  crop_url: z.string().optional().describe("Path of a picture of the passage itself, where there is one"),
  language: z.string(),
  kind: ChunkKind.optional().describe("Absent from other indexes"),
  anomalies: z.array(z.string()).optional().describe("Kinds of what is odd about the chunk, where something is"),
  translation: Translation.optional().describe("The same text in its second language, where it has one"),
  metadata: z.record(z.string(), z.unknown()),
  highlights: z
    .array(z.object({ start: z.int(), end: z.int() }))
    .optional()
    .describe("Words of `content` that match the query, as UTF-16 offsets"),
})
export type SearchHit = z.infer<typeof SearchHit>

/** One stage of the pipeline as `explain` shows it. */
export const ExplainedStage = z.object({
  stage: z.enum(["dense", "lexical", "fuse", "diversify", "rerank", "expand"]),
  hits: z.array(z.object({ id: z.string(), chunk_id: z.string(), score: z.number() })),
})
export type ExplainedStage = z.infer<typeof ExplainedStage>

/** Body of the answer to `POST /search`. */
export const SearchResponse = z.object({
  results: z.array(SearchHit),
  count: z.int().describe("How many results this page holds"),
  next_cursor: z.string().optional().describe("Give it as `cursor` for the next page"),
  strategy: Strategy.describe("The strategy that ran"),
  degraded: z.array(z.string()).optional().describe("What this answer had to do without, and why"),
  warnings: z
    .array(z.string())
    .optional()
    .describe("What of the request had no effect, and which words were taken for misspelt"),
  explain: z.array(ExplainedStage).optional(),
})
export type SearchResponse = z.infer<typeof SearchResponse>
