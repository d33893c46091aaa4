import * as z from "zod"
import { STRATEGIES } from "./strategies.ts"

/** Most dimensions a halfvec index can hold. */
const DIMENSIONS_MAX = 4_000
/** Longest document id, in bytes of UTF-8: what a composite B-tree key leaves room for. */
export const ID_BYTES_MAX = 1_024

/** Longest query of a search, in characters. */
export const QUERY_CHARS_MAX = 8_000
/** Highest page number of a document. */
const PAGES_MAX = 100_000

/** Text that Postgres can store: no NUL, no lone surrogate. */
export const StorableText = z
  .string()
  .refine((text) => !text.includes("\u0000"), "must not contain NUL characters (U+0000)")
  .refine((text) => text.isWellFormed(), "must be well-formed Unicode (it holds a lone surrogate)")

/** A tenant's name. */
export const TenantId = StorableText.min(1).max(128)

/** A document's id: any text, bounded in bytes, but for the two that no URL can name. */
export const DocumentId = StorableText.min(1)
  .refine((id) => Buffer.byteLength(id) <= ID_BYTES_MAX, `must be at most ${ID_BYTES_MAX} bytes of UTF-8`)
  .refine((id) => id !== "." && id !== "..", "must not be `.` or `..`: no URL can name it")

/** A BCP 47 language tag. */
export const LanguageTag = z
  .string()
  .max(35)
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, "must be a language tag like `en` or `pt-BR`")

/** A vector of the caller's own model: finite numbers that a halfvec holds, not all zero. */
export const CallerEmbedding = z
  .array(z.number("must be a finite number").min(-65_504).max(65_504))
  .min(1)
  .max(DIMENSIONS_MAX)
  .refine((vector) => vector.some((x) => Math.abs(x) > 1e-7), "must not be all zeros: its direction means nothing")

/** How the list by meaning and the list by words become one: `lib/search/fuse.ts`. */
export const Strategy = z.enum(STRATEGIES)
export type Strategy = z.infer<typeof Strategy>

/** A chunk's text in its second language. */
export const Translation = z.object({ language: z.string().describe("BCP 47"), content: z.string() })
export type Translation = z.infer<typeof Translation>

/** Where on a page a chunk stands: 0–1 of the page as displayed. */
export const Region = z
  .object({
    page: z.int().min(1).max(PAGES_MAX),
    x0: z.number().min(0).max(1),
    y0: z.number().min(0).max(1),
    x1: z.number().min(0).max(1),
    y1: z.number().min(0).max(1),
  })
  .refine(({ x0, x1, y0, y1 }) => x0 <= x1 && y0 <= y1, "must have x0 <= x1 and y0 <= y1")
export type Region = z.infer<typeof Region>

/** What a chunk is made of. */
export const ChunkKind = z.enum(["text", "table", "figure", "heading"])
