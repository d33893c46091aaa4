import { CHUNK_CHARS_MAX } from "../index-request.ts"
import type { ChunkOptions } from "./measure.ts"

/** Settings of `CHUNK_SIZE`, `CHUNK_OVERLAP` and `PARENT_CHUNK_SIZE`, which `parseConfig` has checked. */
export interface ChunkSettings {
  readonly chunkSize?: number | undefined
  readonly chunkOverlap?: number | undefined
  readonly parentChunkSize?: number | undefined
}

/** Characters of children in a parent where only a child's are set, as of tokens: 1,024 to 256. */
const PARENT_RATIO = 4

/** The settings as chunking takes them; tokens decide where nothing is set. */
export function chunkSizes(settings: ChunkSettings): Pick<ChunkOptions, "chunkChars" | "overlapChars" | "parentChars"> {
  const { chunkSize = null, chunkOverlap = 0, parentChunkSize } = settings
  const derived = chunkSize === null ? null : Math.min(PARENT_RATIO * chunkSize, CHUNK_CHARS_MAX)
  return {
    chunkChars: chunkSize,
    overlapChars: chunkSize === null ? 0 : chunkOverlap,
    parentChars: parentChunkSize ?? derived,
  }
}
