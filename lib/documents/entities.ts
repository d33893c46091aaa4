import * as z from "zod"
import { formatCitation } from "../citation.ts"
import { decodeCursor, decodePlace, encodeCursor, encodePlace } from "../cursor.ts"
import type { Database, SqlValue, UnitOptions } from "../database/database.ts"
import { entityKey } from "../entity-key.ts"
import { AppError, invalidField } from "../errors.ts"
import { StorableText } from "../shapes.ts"
import { type EntityTotals, refreshEntities } from "./entity-mentions.ts"

/** Somebody or something that a tenant's documents name. */
const Entity = z.object({
  id: z.string().describe("Its kind and its name as it is compared: `person:amelia-furtado`"),
  kind: z.string(),
  name: z.string().describe("The form that is given most often"),
  aliases: z.array(z.string()).describe("Every other form, at most 100"),
  mentions: z.int(),
  documents: z.int().describe("How many documents mention it"),
})
export type Entity = z.infer<typeof Entity>

export const EntityPage = z.object({ entities: z.array(Entity), next_cursor: z.string().optional() })
export type EntityPage = z.infer<typeof EntityPage>

/** One place that names an entity. */
const EntityMention = z.object({
  document_id: z.string(),
  title: z.string(),
  chunk_id: z.string(),
  page: z.int().optional(),
  surface: z.string().describe("As the text has it"),
  citation: z.string(),
})
export type EntityMention = z.infer<typeof EntityMention>

export const MentionPage = z.object({
  entity: Entity,
  mentions: z.array(EntityMention),
  next_cursor: z.string().optional(),
})
export type MentionPage = z.infer<typeof MentionPage>

interface Page {
  readonly limit: number
  readonly cursor?: string
}

/** The entities of a tenant. Lists throw `invalid_request` on a foreign cursor. */
export interface Entities {
  /** By kind and name; `q` stands anywhere in a form of its name, compared as `entityKey` does. */
  list(tenant: string, page: Page & { readonly q?: string; readonly kind?: string }): Promise<EntityPage>
  /** By document, in reading order. Throws `not_found`. */
  mentions(tenant: string, id: string, page: Page): Promise<MentionPage>
  /** Writes all entities and mentions of the tenant anew from its chunks, in one transaction. */
  rebuild(tenant: string, options?: UnitOptions): Promise<EntityTotals>
}

const ENTITIES = `
  select e.id, e.kind, e.name, e.aliases, m.mentions, m.documents
    from entities e, lateral (
      select count(*)::int as mentions, count(distinct document_id)::int as documents
        from entity_mentions m where m.source_account_id = e.source_account_id and m.entity_id = e.id) m
   where m.mentions > 0`

// An entity whose last chunk went stays until its document, or all, are written anew.
const LIST = `${ENTITIES} and e.id > $1 and ($2::text is null or e.kind = $2)
   and ($3::text is null or position($3 in e.search_keys) > 0) order by e.id limit $4`

const MENTIONS = `
  select m.document_id, d.title, m.chunk_id, c.first_page as page, m.surface, c.ordinal
    from entity_mentions m
    join chunks c on c.source_account_id = m.source_account_id and c.document_id = m.document_id and c.id = m.chunk_id
    join documents d on d.source_account_id = m.source_account_id and d.id = m.document_id
   where m.entity_id = $1 and (m.document_id, c.ordinal, m.chunk_id, m.surface) > ($2, $3, $4, $5)
   order by m.document_id, c.ordinal, m.chunk_id, m.surface limit $6`

const After = z.tuple([StorableText, z.int32().min(0), StorableText, StorableText])

export function createEntities(database: Database): Entities {
  async function query(tenant: string, text: string, values: readonly SqlValue[]) {
    const [rows = []] = await database.batch({ tenant }, [{ text, values }])
    return rows
  }

  return {
    async list(tenant, { limit, cursor, q, kind }) {
      const key = q === undefined ? null : entityKey(q)
      if (key === "") throw invalidField("q", "must hold a letter or a digit")
      const list = ["entities", tenant, kind ?? null, key]
      const after = cursor === undefined ? "" : decodeCursor(cursor, list, "string")
      const rows = await query(tenant, LIST, [after, kind ?? null, key, limit + 1])
      const entities = (rows as unknown as Entity[]).slice(0, limit)
      const last = entities.at(-1)
      return { entities, ...(rows.length > limit && last && { next_cursor: encodeCursor(last.id, list) }) }
    },

    async mentions(tenant, id, { limit, cursor }) {
      const list = ["mentions", tenant, id]
      const after = cursor === undefined ? ["", 0, "", ""] : decodePlace(cursor, list, After)
      const [entity] = (await query(tenant, `${ENTITIES} and e.id = $1`, [id])) as unknown as Entity[]
      if (!entity) throw new AppError("not_found", "There is no entity with this id")
      const rows = (await query(tenant, MENTIONS, [id, ...after, limit + 1])) as unknown as MentionRow[]
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      const rest = rows.length > limit && last
      return {
        entity,
        mentions: shown.map(toMention),
        ...(rest && {
          next_cursor: encodePlace([last.document_id, last.ordinal, last.chunk_id, last.surface], list),
        }),
      }
    },

    rebuild: (tenant, options) =>
      database.transaction({ tenant }, (transaction) => refreshEntities(transaction, tenant, null), options),
  }
}

interface MentionRow {
  readonly document_id: string
  readonly title: string
  readonly chunk_id: string
  readonly page: number | null
  readonly surface: string
  readonly ordinal: number
}

function toMention({ document_id, title, chunk_id, page: known, surface }: MentionRow): EntityMention {
  const page = known ?? undefined
  const citation = formatCitation({ documentId: document_id, chunkId: chunk_id, page })
  return { document_id, title, chunk_id, ...(page !== undefined && { page }), surface, citation }
}
