import * as z from "zod"
import { formatCitation } from "../citation.ts"
import { decodePlace, encodePlace } from "../cursor.ts"
import type { Database } from "../database/database.ts"
import { AppError } from "../errors.ts"
import { StorableText } from "../shapes.ts"

/** Something odd about a chunk, and where it stands. */
const AnomalyEntry = z.object({
  document_id: z.string(),
  title: z.string(),
  chunk_id: z.string(),
  page: z.int().optional(),
  kind: z.string(),
  note: z.string(),
  citation: z.string(),
})
export type AnomalyEntry = z.infer<typeof AnomalyEntry>

export const AnomalyPage = z.object({ anomalies: z.array(AnomalyEntry), next_cursor: z.string().optional() })
export type AnomalyPage = z.infer<typeof AnomalyPage>

interface AnomalyQuery {
  readonly limit: number
  readonly cursor?: string
  /** Of this document alone. */
  readonly document?: string
  readonly kind?: string
}

/** The anomalies that a tenant's chunks carry. */
export interface Anomalies {
  /**
   * By document, in reading order. Throws `not_found` for a document that isn't there, `invalid_request` on a foreign
   * cursor.
   */
  list(tenant: string, query: AnomalyQuery): Promise<AnomalyPage>
}

const LIST = `
  select c.document_id, d.title, c.id as chunk_id, c.first_page as page, a.value ->> 'kind' as kind, a.value ->> 'note' as note,
         c.ordinal, a.place::int as place
    from chunks c
    join documents d on d.source_account_id = c.source_account_id and d.id = c.document_id
   cross join lateral jsonb_array_elements(c.anomalies) with ordinality a (value, place)
   where c.anomalies <> '[]'
     and ($1::text is null or c.document_id = $1) and ($2::text is null or a.value ->> 'kind' = $2)
     and (c.document_id, c.ordinal) >= ($3, $4) and (c.document_id, c.ordinal, c.id, a.place) > ($3, $4, $5, $6)
   order by c.document_id, c.ordinal, c.id, a.place limit $7`

const After = z.tuple([StorableText, z.int32().min(0), StorableText, z.int32().min(0)])
const FIRST: z.infer<typeof After> = ["", 0, "", 0]

interface AnomalyRow {
  readonly document_id: string
  readonly title: string
  readonly chunk_id: string
  readonly page: number | null
  readonly kind: string
  readonly note: string
  readonly ordinal: number
  readonly place: number
}

export function createAnomalies(database: Database): Anomalies {
  return {
    async list(tenant, { limit, cursor, document, kind }) {
      const list = ["anomalies", tenant, document ?? null, kind ?? null]
      const after = cursor === undefined ? FIRST : decodePlace(cursor, list, After)
      const [found = [], known = []] = await database.batch({ tenant }, [
        { text: LIST, values: [document ?? null, kind ?? null, ...after, limit + 1] },
        {
          text: "select from documents where id = $1 and status <> 'deleted'",
          values: [document ?? null],
        },
      ])
      if (document !== undefined && known.length === 0) {
        throw new AppError("not_found", "There is no document with this id")
      }
      const rows = found as unknown as AnomalyRow[]
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      return {
        anomalies: shown.map(toEntry),
        ...(rows.length > limit && last && { next_cursor: encodePlace(placeOf(last), list) }),
      }
    },
  }
}

const placeOf = ({ document_id, ordinal, chunk_id, place }: AnomalyRow) => [document_id, ordinal, chunk_id, place]

function toEntry({ document_id, title, chunk_id, page: known, kind, note }: AnomalyRow): AnomalyEntry {
  const page = known ?? undefined
  const citation = formatCitation({ documentId: document_id, chunkId: chunk_id, page })
  return { document_id, title, chunk_id, ...(page !== undefined && { page }), kind, note, citation }
}
