/** What is counted of a tenant's use, each a number of its own. */
export interface UsageCounts {
  readonly searches: number
  readonly answers: number
  /** Tokens of texts that the embedding model read: documents, uploads, `/embed`; not those of questions. */
  readonly embeddedTokens: number
  /** Documents written, anew or again, and their passages. */
  readonly documents: number
  readonly passages: number
  /** Pages of uploads that were read. */
  readonly pages: number
  /** Parts of pages that were drawn. */
  readonly crops: number
}

/** Adds to what a tenant has used today. Never rejects: a count is never what fails a request. */
export type CountUsage = (tenant: string, counts: Partial<UsageCounts>) => Promise<void>
