import { z } from "zod"
import { decodeCursor, encodeCursor } from "../cursor.ts"
import type { Database } from "../database/database.ts"
import { AppError } from "../errors.ts"

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

const SUMMARY = `
  select d.id, d.title, d.languages, d.metadata,
         (select count(*)::int from chunks c
           where c.source_account_id = d.source_account_id and c.document_id = d.id and c.searchable) as chunks,
         to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
         to_char(d.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
    from documents d
   where d.status <> 'deleted'`

// The tombstone keeps its highest chunk number, so that an id is not used again if the document comes back.
const BURY = `
  update documents set status = 'deleted', title = '', source_uri = null, mime_type = null, sha256 = null, languages = '{}',
         metadata = '{}', page_count = null, error = null, generation = generation + 1, updated_at = now()
   where id = $1 and status <> 'deleted' returning id`

export function createDocuments(database: Database): Documents {
  return {
    async list(tenant, { limit, cursor }) {
      const list = ["documents", tenant]
      const after = cursor === undefined ? "" : decodeCursor(cursor, list, "string")
      const text = `${SUMMARY} and d.id > $1 order by d.id limit $2`
      const [rows = []] = await database.batch({ tenant }, [{ text, values: [after, limit + 1] }])
      const documents = (rows as unknown as DocumentSummary[]).slice(0, limit)
      const last = documents.at(-1)
      return { documents, ...(rows.length > limit && last && { next_cursor: encodeCursor(last.id, list) }) }
    },

    async get(tenant, id) {
      const [rows = []] = await database.batch({ tenant }, [{ text: `${SUMMARY} and d.id = $1`, values: [id] }])
      const [document] = rows as unknown as DocumentSummary[]
      if (!document) throw new AppError("not_found", "There is no document with this id")
      return document
    },

    async delete(tenant, id) {
      const [buried = []] = await database.batch({ tenant }, [
        { text: BURY, values: [id] },
        { text: "delete from chunks where document_id = $1", values: [id] },
      ])
      return buried.length > 0
    },
  }
}
