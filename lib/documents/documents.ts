import { z } from "zod"

/** One row of `GET /documents`. */
export const DocumentSummary = z.object({
  id: z.string(),
  title: z.string(),
  languages: z.array(z.string()),
  chunks: z.int(),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string(),
})
export type DocumentSummary = z.infer<typeof DocumentSummary>

export const DocumentPage = z.object({ documents: z.array(DocumentSummary), next_cursor: z.string().optional() })
export type DocumentPage = z.infer<typeof DocumentPage>

/** The documents a tenant holds. */
export interface Documents {
  /** In order of id; `cursor` is `next_cursor` of the page before. Throws `invalid_request` on a foreign cursor. */
  list(tenant: string, page: { readonly limit: number; readonly cursor?: string }): Promise<DocumentPage>
  /** Throws `not_found`. */
  get(tenant: string, id: string): Promise<DocumentSummary>
  /** Removes the document, its chunks and vectors, and leaves a tombstone. False when there was none. */
  delete(tenant: string, id: string): Promise<boolean>
}
