import type { ChunkDetails } from "../../documents/page-details.ts"
import type { SearchHit } from "../../search/response.ts"

/** A chunk that was read and not searched for, as a passage to cite. Nothing ranked it: its scores are 0. */
export function chunkAsHit(tenant: string, chunk: ChunkDetails): SearchHit {
  const { document_id, id, title, content, citation, language, metadata, page, page_url, crop_url, regions } = chunk
  return {
    id: document_id,
    source_account_id: tenant,
    title,
    content,
    rrf_score: 0,
    score: 0,
    chunk_id: id,
    citation,
    language,
    metadata,
    ...(page !== undefined && { page }),
    ...(regions !== undefined && { regions }),
    ...(page_url !== undefined && { page_url }),
    ...(crop_url !== undefined && { crop_url }),
  }
}
