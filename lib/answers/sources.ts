import type { SearchHit } from "../search/response.ts"
import type { AnswerCitation } from "./response.ts"

/** The passages that an answer may cite. A model calls them `[Doc 1]`, `[Doc 2]`, …, in their order here. */
export type Sources = readonly SearchHit[]

/** A passage as an answer's citation. */
export function citationOf(hit: SearchHit): AnswerCitation {
  const { citation, id, chunk_id, title, content, score, page, page_url, crop_url } = hit
  return {
    citation,
    id,
    chunk_id,
    title,
    content,
    score,
    ...(page !== undefined && { page }),
    ...(page_url !== undefined && { page_url }),
    ...(crop_url !== undefined && { crop_url }),
  }
}
