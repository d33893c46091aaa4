import type { Row, Transaction } from "../database/database.ts"
import { entityId, entityKey } from "../entity-key.ts"
import type { ChunkEntity } from "./annotations.ts"

/** Chunks read at once: at 200 entities each about 10 MB. */
const CHUNKS_PER_READ = 500
/** Rows written by one statement. */
const ROWS_PER_STATEMENT = 2_000

// Two writers of the same entities would each wait for the rows of the other.
const LOCK = `select pg_advisory_xact_lock(hashtextextended('concordance.entities:' || $1, 0))::text`

const FORGET = `
  with gone as (delete from entity_mentions where $1::text[] is null or document_id = any($1::text[]) returning entity_id)
  select distinct entity_id as id from gone`

const NAMED_CHUNKS = `
  select key::text as key, document_id, id, entities from chunks
   where entities <> '[]' and key > $1::bigint and ($2::text[] is null or document_id = any($2::text[]))
   order by chunks.key limit ${CHUNKS_PER_READ}`

const ADD_ENTITIES = `
  insert into entities (source_account_id, id, kind, key)
  select $1, id, kind, key from jsonb_to_recordset($2::text::jsonb) as given (id text, kind text, key text)
   order by id
  on conflict do nothing`

const ADD_MENTIONS = `
  insert into entity_mentions (source_account_id, entity_id, document_id, chunk_id, surface, name)
  select $1, entity_id, document_id, chunk_id, surface, name
    from jsonb_to_recordset($2::text::jsonb)
      as given (entity_id text, document_id text, chunk_id text, surface text, name text)
  on conflict do nothing`

// The form given most often is the name; of equally many the first in order of bytes.
const NAME_ENTITIES = `
  with form as (
    select m.entity_id, f.form, count(*) filter (where f.is_name) as times
      from entity_mentions m,
           lateral (values (m.name, true), (m.surface, false)) f (form, is_name)
     where m.entity_id = any($1::text[]) group by 1, 2),
  named as (
    select entity_id, array_agg(form order by times desc, form collate "C") as forms from form group by 1)
  update entities e
     set name = n.forms[1], aliases = (n.forms[2:])[1:100]
    from named n where e.id = n.entity_id`

const SET_SEARCH_KEYS = `
  update entities e set search_keys = given.keys
    from jsonb_to_recordset($1::text::jsonb) as given (id text, keys text) where e.id = given.id`

const DROP_UNMENTIONED = `
  delete from entities e where e.id = any($1::text[]) and not exists (
    select from entity_mentions m where m.source_account_id = e.source_account_id and m.entity_id = e.id)`

interface NamedChunk extends Row {
  readonly key: string
  readonly document_id: string
  readonly id: string
  readonly entities: readonly ChunkEntity[]
}

/** How much a rebuild found. */
export interface EntityTotals {
  readonly entities: number
  readonly mentions: number
}

/**
 * Writes the mentions of some documents anew, or with null those of the whole tenant, from what their chunks carry;
 * entities come and go with them. Inside the caller's transaction, and one at a time a tenant.
 */
export async function refreshEntities(
  transaction: Transaction,
  tenant: string,
  documentIds: readonly string[] | null,
): Promise<EntityTotals> {
  await transaction.query(LOCK, [tenant])
  const forgotten = await transaction.query<{ id: string }>(FORGET, [documentIds])
  const touched = new Set(forgotten.map(({ id }) => id))
  let mentions = 0
  for (let after = "0"; ; ) {
    const chunks = await transaction.query<NamedChunk>(NAMED_CHUNKS, [after, documentIds])
    const last = chunks.at(-1)
    if (!last) break
    mentions += await addMentions(transaction, tenant, chunks, touched)
    after = last.key
  }
  await nameEntities(transaction, [...touched])
  return { entities: touched.size, mentions }
}

async function addMentions(
  transaction: Transaction,
  tenant: string,
  chunks: readonly NamedChunk[],
  touched: Set<string>,
): Promise<number> {
  const entities = new Map<string, object>()
  const mentions = new Map<string, object>()
  for (const { document_id, id: chunk_id, entities: named } of chunks) {
    for (const { name, kind, surface = name } of named) {
      const entity_id = entityId(kind, name)
      entities.set(entity_id, { id: entity_id, kind, key: entityKey(name) })
      touched.add(entity_id)
      const mention = { entity_id, document_id, chunk_id, surface, name }
      mentions.set(JSON.stringify([entity_id, document_id, chunk_id, surface]), mention)
    }
  }
  await inParts([...entities.values()], (rows) => transaction.query(ADD_ENTITIES, [tenant, rows]))
  await inParts([...mentions.values()], (rows) => transaction.query(ADD_MENTIONS, [tenant, rows]))
  return mentions.size
}

async function nameEntities(transaction: Transaction, ids: readonly string[]): Promise<void> {
  for (let i = 0; i < ids.length; i += ROWS_PER_STATEMENT) {
    const some = ids.slice(i, i + ROWS_PER_STATEMENT)
    await transaction.query(DROP_UNMENTIONED, [some])
    await transaction.query(NAME_ENTITIES, [some])
    const named = await transaction.query<{ id: string; name: string; aliases: readonly string[] }>(
      "select id, name, aliases from entities where id = any($1::text[])",
      [some],
    )
    const keys = named.map(({ id, name, aliases }) => {
      return { id, keys: `\n${[...new Set([name, ...aliases].map(entityKey))].join("\n")}\n` }
    })
    await transaction.query(SET_SEARCH_KEYS, [JSON.stringify(keys)])
  }
}

async function inParts(rows: readonly object[], write: (json: string) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < rows.length; i += ROWS_PER_STATEMENT) {
    await write(JSON.stringify(rows.slice(i, i + ROWS_PER_STATEMENT)))
  }
}
