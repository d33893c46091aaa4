import { formatCitation } from "../citation.ts"
import { AppError } from "../errors.ts"
import { cropUrl, pageUrl } from "../page-links.ts"
import type { Candidate, Passage, Scored } from "./candidate.ts"
import { rrfScore } from "./fuse.ts"
import { highlightWords } from "./highlight.ts"
import type { SearchHit } from "./response.ts"

/** A ranked candidate as the response shows it. */
export function toHit(tenant: string, { candidate, score }: Scored, rrfK: number): SearchHit {
  const { passage, documentId, shownId: chunkId, similarity, bm25 } = candidate
  if (!passage)
    throw new AppError("internal", "A candidate was ranked higher than its place in the database's own fusion")
  const page = passage.page ?? undefined
  return {
    id: documentId,
    source_account_id: tenant,
    title: passage.title,
    content: passage.content,
    ...(similarity !== null && { similarity }),
    ...(bm25 !== null && { text_rank: bm25 }),
    rrf_score: rrfScore(candidate, rrfK),
    score,
    chunk_id: chunkId,
    ...(page !== undefined && { page }),
    ...(passage.regions.length > 0 && { regions: [...passage.regions] }),
    citation: formatCitation({ documentId, chunkId, page }),
    ...linksTo(tenant, candidate, passage),
    language: passage.language,
    ...(passage.kind && { kind: passage.kind }),
    ...(passage.anomalies.length > 0 && { anomalies: [...passage.anomalies] }),
    ...(passage.translation && { translation: passage.translation }),
    metadata: passage.metadata,
    ...(passage.matchingWords && { highlights: highlightWords(passage.content, passage.matchingWords) }),
  }
}

function linksTo(tenant: string, { documentId, shownId }: Candidate, { page, version, hasPicture }: Passage) {
  if (page === null || version === null) return {}
  const address = { tenant, documentId, page, version }
  return { page_url: pageUrl(address), ...(hasPicture && { crop_url: cropUrl(address, shownId) }) }
}
