import * as z from "zod"
import { ChunkKind, DocumentId, LanguageTag, type Region, StorableText } from "../../shapes.ts"
import { ANNOTATIONS_MAX, Anomaly, ChunkEntity } from "../annotations.ts"

/** Most chunks of a bundle. */
export const CHUNKS_MAX = 5_000
const PAGES_MAX = 100_000
const BOXES_MAX = 100

/** Id of a chunk as its file is named: `c0042`, and no other way to write 42. */
const BundleChunkId = z.string().regex(/^c(\d{4}|[1-9]\d{4,5})$/, "must be like c0042")

const Metadata = z
  .record(z.string().max(200), z.json())
  .refine((metadata) => JSON.stringify(metadata).length <= 64_000, "must be at most 64000 characters of JSON")
  .refine((metadata) => isStorable(metadata), "must hold well-formed text without NUL characters")

/** `_index.json` of a bundle. */
export const BundleIndex = z.strictObject({
  bundle: z.literal(1),
  id: DocumentId.optional(),
  title: StorableText.min(1).max(2_000),
  language: LanguageTag.optional(),
  pages: z.int().min(1).max(PAGES_MAX).optional(),
  source_uri: StorableText.max(4_000).optional(),
  metadata: Metadata.default({}),
  chunks: z.array(BundleChunkId).min(1).max(CHUNKS_MAX).optional(),
})
export type BundleIndex = z.output<typeof BundleIndex>

const Corner = z.number().min(0).max(1)
const BBox = z
  .tuple([Corner, Corner, Corner, Corner])
  .refine(([x0, y0, x1, y1]) => x0 < x1 && y0 < y1, "must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1")

/** Front matter of a chunk, but for its `text_<language>` fields. */
export const ChunkFields = z
  .strictObject({
    id: BundleChunkId.optional(),
    kind: ChunkKind.default("text"),
    page: z.int().min(1).max(PAGES_MAX).optional(),
    bbox: z.union([BBox, z.array(BBox).min(1).max(BOXES_MAX)]).optional(),
    language: LanguageTag.optional(),
    table: z.int().min(1).max(999).optional(),
    anomalies: z
      .array(z.union([Anomaly, Anomaly.shape.note.transform(noted)]))
      .max(ANNOTATIONS_MAX)
      .default([]),
    entities: z
      .array(z.union([ChunkEntity, ChunkEntity.shape.name.transform(named)]))
      .max(ANNOTATIONS_MAX)
      .default([]),
    metadata: Metadata.default({}),
  })
  .refine(({ page, bbox }) => bbox === undefined || page !== undefined, {
    path: ["page"],
    message: "is required where there is a bbox",
  })
export type ChunkFields = z.output<typeof ChunkFields>

/** Where the chunk stands: a box, or several, of its page; the whole page where it has no box. */
export function regionsOf({ page, bbox }: ChunkFields): Region[] {
  if (page === undefined) return []
  const boxes = bbox === undefined ? [[0, 0, 1, 1]] : typeof bbox[0] === "number" ? [bbox] : bbox
  return boxes.map((box) => {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = box as number[]
    return { page, x0, y0, x1, y1 }
  })
}

function noted(note: string): Anomaly {
  return { kind: "note", note }
}

function named(name: string): ChunkEntity {
  return { name, kind: "other" }
}

/** JSON writes a NUL and a lone surrogate as an escape; after a backslash that is itself escaped it is only text. */
function isStorable(metadata: unknown): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(JSON.stringify(metadata))
}
