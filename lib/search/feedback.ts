import * as z from "zod"
import type { Database } from "../database/database.ts"
import { AppError } from "../errors.ts"
import type { Judgment } from "../judgments.ts"
import { DocumentId, QUERY_CHARS_MAX, StorableText, TenantId } from "../shapes.ts"

/** What somebody did with a hit, and how relevant that makes the document. */
const GRADES = { click: 1, helpful: 2, not_helpful: 0 } as const

/** Body of `POST /feedback`. */
export const FeedbackRequest = z.object({
  query: StorableText.max(QUERY_CHARS_MAX)
    .refine((query) => query.trim() !== "", "must not be blank")
    .describe("The query of the search, as it was sent"),
  document_id: DocumentId.describe("`id` of the hit"),
  chunk_id: StorableText.min(1).max(200).optional().describe("`chunk_id` of the hit"),
  action: z.enum(["click", "helpful", "not_helpful"]).describe("What somebody did with it"),
  source_account_id: TenantId.optional().describe("Tenant; as in `POST /search`"),
})
export type FeedbackRequest = z.output<typeof FeedbackRequest>

export const FeedbackResponse = z.object({ status: z.literal("noted") })

/** What people did with hits, a tenant's alone. */
export interface Feedback {
  /** Throws `not_found` for a document or chunk that isn't there. */
  note(tenant: string, feedback: FeedbackRequest): Promise<void>
  /**
   * Judgments for `concordance tune`: one for each query and document, the mean of its grades (helpful 2, click 1, not helpful 0) to a
   * hundredth, of documents that are there. By query and document. `document_id`s of a query that nobody reacted to are unjudged.
   */
  judgments(tenant: string): Promise<readonly Judgment[]>
}

const NOTE = "select note_feedback($1, $2, $3, $4) as noted"

const JUDGMENTS = `
  select trim(f.query) as query, f.document_id as document, round(avg(g.grade), 2)::float8 as grade
    from search_feedback f
    join jsonb_each_text($1::text::jsonb) e on e.key = f.action
   cross join lateral (select e.value::numeric as grade) g
   where exists (select from documents d where d.source_account_id = f.source_account_id and d.id = f.document_id
                    and d.status <> 'deleted')
   group by 1, 2 order by 1, 2`

/** Reading all of a tenant's. */
const LONG = { timeoutMs: 600_000 }

export function createFeedback(database: Database): Feedback {
  return {
    async note(tenant, { query, document_id: document, chunk_id: chunk = null, action }) {
      const [[row] = []] = await database.batch({ tenant }, [{ text: NOTE, values: [query, document, chunk, action] }])
      if (row?.["noted"] !== true) throw new AppError("not_found", "There is no such document or chunk")
    },
    async judgments(tenant) {
      const statement = { text: JUDGMENTS, values: [JSON.stringify(GRADES)] }
      const [rows = []] = await database.batch({ tenant }, [statement], LONG)
      return rows as unknown as Judgment[]
    },
  }
}
