import * as z from "zod"
import { ChunkKind, Region, Translation } from "../shapes.ts"
import { Anomaly, ChunkEntity } from "./annotations.ts"

/** One row of `GET /documents/{id}/pages`. */
const PageSummary = z.object({
  number: z.int(),
  width: z
    .number()
    .optional()
    .describe("Points, as displayed; absent of a page that could not be read, or of a bundle"),
  height: z.number().optional(),
  source: z.enum(["embedded", "ocr", "given", "none"]).describe("Where its text came from; `given`: from a bundle"),
  confidence: z.number().optional().describe("Mean of the recognised words, 0 to 100"),
  page_url: z.string(),
  image_url: z.string().optional(),
})
export type PageSummary = z.infer<typeof PageSummary>

export const PageList = z.object({ pages: z.array(PageSummary), next_cursor: z.string().optional() })
export type PageList = z.infer<typeof PageList>

/** A chunk with all there is to say of it. */
export const ChunkDetails = z.object({
  id: z.string(),
  document_id: z.string(),
  title: z.string().describe("Of the document"),
  kind: ChunkKind,
  content: z.string(),
  language: z.string(),
  translation: Translation.optional().describe("The same text in its second language"),
  page: z.int().optional().describe("Its first"),
  regions: z.array(Region).optional(),
  citation: z.string().describe("`[[doc/p007#c0042]]`"),
  parent_id: z.string().optional(),
  anomalies: z.array(Anomaly).optional(),
  entities: z.array(ChunkEntity).optional(),
  enriched_by: z.string().optional().describe("The language model that translation, anomalies and entities are by"),
  metadata: z.record(z.string(), z.unknown()),
  page_url: z.string().optional(),
  crop_url: z.string().optional(),
  table_url: z.string().optional().describe("The whole table that it is a part of, as CSV"),
})
export type ChunkDetails = z.infer<typeof ChunkDetails>

/** Answer of `GET /documents/{id}/chunks`. */
export const ChunkList = z.object({
  chunks: z.array(ChunkDetails).describe("In reading order"),
  next_cursor: z.string().optional(),
})
export type ChunkList = z.infer<typeof ChunkList>

/** Answer of `GET /documents/{id}/pages/{page}`. */
export const PageDetails = PageSummary.extend({ chunks: z.array(ChunkDetails).describe("In reading order") })
export type PageDetails = z.infer<typeof PageDetails>
