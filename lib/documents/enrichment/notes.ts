import * as z from "zod"
import { Translation } from "../../shapes.ts"
import { Anomaly, ChunkEntity } from "../annotations.ts"

/** What a language model noted of a chunk, checked. */
export const ChunkNotes = z.object({
  translation: Translation.optional(),
  anomalies: z.array(Anomaly),
  entities: z.array(ChunkEntity),
})
export type ChunkNotes = z.output<typeof ChunkNotes>

/** What it said of a figure; null where there is nothing to say: an ornament, a logo, a blank. */
export const FigureNotes = z.object({ description: z.string().nullable() })
export type FigureNotes = z.output<typeof FigureNotes>
