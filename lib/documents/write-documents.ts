import type { Database, Row, Transaction, UnitOptions } from "../database/database.ts"
import { halfvecToSql } from "../vector.ts"
import type { ChunkEntity } from "./annotations.ts"
import { assignIds } from "./assign-ids.ts"
import type { ChunkVector, EmbeddedDocument } from "./embed-documents.ts"
import { ensureSpaces, type Spaces } from "./embedding-spaces.ts"
import { refreshEntities } from "./entity-mentions.ts"
import type { PreparedChunk } from "./prepare-document.ts"

/** Chunks written by one statement: at 1,024 dimensions about 5 MB of parameters. */
const CHUNKS_PER_STATEMENT = 500

const UPSERT_DOCUMENTS = `
  insert into documents as d (source_account_id, id, title, source_uri, languages, metadata, mime_type, sha256, page_count)
  select $1, id, title, source_uri, array(select jsonb_array_elements_text(languages)), metadata, mime_type, sha256, page_count
    from jsonb_to_recordset($2::text::jsonb)
      as given (id text, title text, source_uri text, languages jsonb, metadata jsonb, mime_type text, sha256 text,
                page_count int)
   order by id
  on conflict (source_account_id, id) do update
     set title = excluded.title, source_uri = excluded.source_uri, languages = excluded.languages,
         metadata = excluded.metadata, mime_type = excluded.mime_type, sha256 = excluded.sha256,
         page_count = excluded.page_count, status = 'ready', error = null, generation = d.generation + 1, updated_at = now()
  returning id, last_chunk`

// What an upload left under these ids: its pages and tables are of the version that goes, and work on it is off.
const REMOVE_UPLOADED = `
  with no_pages as (delete from pages where document_id = any($1::text[])),
       no_tables as (delete from document_tables where document_id = any($1::text[]))
  update ingest_jobs set state = 'superseded', worker = null, lease_until = null
   where document_id = any($1::text[]) and state <> 'superseded'`

// So do their chunks' own pictures: whoever tidies up next removes those that the new version doesn't name.
const MARK_IMAGES = `
  insert into uploads (source_account_id, key, document_id, expires_at)
  select distinct source_account_id, image_key, document_id, now() from chunks
   where document_id = any($1::text[]) and image_key is not null
  on conflict do nothing`

const STORED_CHUNKS = `
  select document_id, id, content_hash as hash, entities <> '[]' as named
    from chunks where document_id = any($1::text[]) order by document_id, ordinal`

// A document that changes loses all of its vectors first: one that comes again without any is then found by words alone.
const REMOVE_VECTORS = `
  delete from embeddings e using chunks c
   where c.document_id = any($1::text[]) and e.source_account_id = c.source_account_id and e.chunk_key = c.key`

const REMOVE_CHUNKS = `
  delete from chunks c using jsonb_to_recordset($1::text::jsonb) as gone (document_id text, id text)
   where c.document_id = gone.document_id and c.id = gone.id`

const UPSERT_CHUNKS = `
  insert into chunks as c (source_account_id, document_id, id, ordinal, parent_id, kind, searchable, title, content,
                           language, translated_content, translation_language, first_page, last_page, regions, anomalies,
                           entities, enriched_by, image_key, metadata, content_hash)
  select $1, document_id, id, ordinal, parent_id, kind, searchable, title, content, language, translation ->> 'content',
         translation ->> 'language',
         (select min((r ->> 'page')::int) from jsonb_array_elements(regions) r),
         (select max((r ->> 'page')::int) from jsonb_array_elements(regions) r), regions,
         coalesce(anomalies, '[]'), coalesce(entities, '[]'), enriched_by, image_key, metadata, hash
    from jsonb_to_recordset($2::text::jsonb)
      as given (document_id text, id text, ordinal int, parent_id text, kind text, searchable boolean, title text,
                content text, language text, translation jsonb, regions jsonb, anomalies jsonb, entities jsonb,
                enriched_by text, image_key text, metadata jsonb, hash text)
  on conflict (source_account_id, document_id, id) do update
     set ordinal = excluded.ordinal, parent_id = excluded.parent_id, kind = excluded.kind, searchable = excluded.searchable,
         title = excluded.title, content = excluded.content, language = excluded.language,
         translated_content = excluded.translated_content, translation_language = excluded.translation_language,
         first_page = excluded.first_page, last_page = excluded.last_page, regions = excluded.regions,
         anomalies = excluded.anomalies, entities = excluded.entities, enriched_by = excluded.enriched_by,
         image_key = excluded.image_key, metadata = excluded.metadata, content_hash = excluded.content_hash
  returning document_id, id, key::text as key`

const INSERT_VECTORS = `
  insert into embeddings (source_account_id, chunk_key, space_id, embedding)
  select $1, key, space, vector::halfvec
    from unnest($2::bigint[], $3::int[], $4::text[]) as given (key, space, vector)`

const SET_LAST_CHUNK = `
  update documents d set last_chunk = given.last
    from jsonb_to_recordset($1::text::jsonb) as given (id text, last int) where d.id = given.id`

/**
 * Replaces each document and all of its chunks and vectors, in one transaction: a reader sees the old version of them or
 * the new one. No id comes twice among `documents`.
 */
export async function writeDocuments(
  database: Database,
  tenant: string,
  documents: readonly EmbeddedDocument[],
  options?: UnitOptions,
): Promise<void> {
  await database.transaction({ tenant }, (transaction) => replaceDocuments(transaction, tenant, documents), options)
}

/**
 * The same inside a transaction that writes more of them. Their pages, tables and jobs, if they had any, are gone then.
 * Returns the ids that the chunks of each have now, in reading order.
 */
export async function replaceDocuments(
  transaction: Transaction,
  tenant: string,
  documents: readonly EmbeddedDocument[],
): Promise<readonly (readonly string[])[]> {
  const spaces = await ensureSpaces(transaction, tenant, documents)
  const last = await upsertDocuments(transaction, tenant, documents)
  const ids = documents.map(({ document }) => document.id)
  await transaction.query(REMOVE_UPLOADED, [ids])
  await transaction.query(MARK_IMAGES, [ids])
  const stored = await transaction.query<StoredRow>(STORED_CHUNKS, [ids])
  if (stored.length > 0) await transaction.query(REMOVE_VECTORS, [ids])

  const rows = documents.flatMap((embedded) => {
    const held = stored.filter((chunk) => chunk.document_id === embedded.document.id)
    return chunkRows(embedded, held, last)
  })
  const kept = new Set(rows.map((row) => rowName(row.row.document_id, row.row.id)))
  const gone = stored.filter((chunk) => !kept.has(rowName(chunk.document_id, chunk.id)))
  if (gone.length > 0) await transaction.query(REMOVE_CHUNKS, [JSON.stringify(gone)])
  for (let i = 0; i < rows.length; i += CHUNKS_PER_STATEMENT) {
    await writeChunks(transaction, tenant, rows.slice(i, i + CHUNKS_PER_STATEMENT), spaces)
  }
  const lasts = [...last].map(([id, number]) => ({ id, last: number }))
  await transaction.query(SET_LAST_CHUNK, [JSON.stringify(lasts)])
  if (stored.some(({ named }) => named) || rows.some(({ row }) => row.entities !== undefined)) {
    await refreshEntities(transaction, tenant, ids)
  }
  return ids.map((id) => rows.flatMap(({ row }) => (row.document_id === id && row.searchable ? [row.id] : [])))
}

interface StoredRow extends Row {
  readonly document_id: string
  readonly id: string
  readonly hash: string
  /** Entities were noted of it. */
  readonly named: boolean
}

/** Highest chunk number ever given, by document. */
async function upsertDocuments(
  transaction: Transaction,
  tenant: string,
  documents: readonly EmbeddedDocument[],
): Promise<Map<string, number>> {
  const given = documents.map(({ document: { id, title, sourceUri, languages, metadata, file, pageCount } }) => {
    const ofFile = { mime_type: file?.mimeType, sha256: file?.sha256, page_count: pageCount }
    return { id, title, source_uri: sourceUri, languages, metadata, ...ofFile }
  })
  const rows = await transaction.query<{ id: string; last_chunk: number }>(UPSERT_DOCUMENTS, [
    tenant,
    JSON.stringify(given),
  ])
  return new Map(rows.map((row) => [row.id, row.last_chunk]))
}

interface ChunkRow {
  readonly row: Row & {
    readonly document_id: string
    readonly id: string
    readonly searchable: boolean
    readonly entities: readonly ChunkEntity[] | undefined
  }
  readonly vector: ChunkVector | undefined
}

/** The rows of one document, parents first; notes the highest number given in `last`. */
function chunkRows(
  { document, vectors }: EmbeddedDocument,
  stored: readonly { readonly id: string; readonly hash: string }[],
  last: Map<string, number>,
): ChunkRow[] {
  const hashes = (chunks: readonly PreparedChunk[]): string[] => chunks.map((chunk) => chunk.hash)
  const parents = assignIds(hashes(document.parents), stored, last.get(document.id) ?? 0, "p")
  const givenIds = document.chunks.map((chunk) => chunk.givenId)
  const children = assignIds(hashes(document.chunks), stored, parents.last, "c", givenIds)
  last.set(document.id, children.last)
  const row = (chunk: PreparedChunk, id: string | undefined, ordinal: number, searchable: boolean): ChunkRow => ({
    row: {
      document_id: document.id,
      id: id ?? "",
      ordinal,
      parent_id: chunk.parent === null ? null : (parents.ids[chunk.parent] ?? null),
      kind: chunk.kind,
      searchable,
      title: document.title,
      content: chunk.content,
      language: chunk.language,
      translation: chunk.translation,
      regions: chunk.regions,
      anomalies: chunk.anomalies,
      entities: chunk.entities,
      enriched_by: chunk.enrichedBy,
      image_key: chunk.imageKey,
      metadata: chunk.metadata,
      hash: chunk.hash,
    },
    vector: vectors.get(chunk),
  })
  return [
    ...document.parents.map((chunk, i) => row(chunk, parents.ids[i], i + 1, false)),
    ...document.chunks.map((chunk, i) => row(chunk, children.ids[i], i + 1, true)),
  ]
}

async function writeChunks(
  transaction: Transaction,
  tenant: string,
  rows: readonly ChunkRow[],
  spaces: Spaces,
): Promise<void> {
  const written = await transaction.query<{ document_id: string; id: string; key: string }>(UPSERT_CHUNKS, [
    tenant,
    JSON.stringify(rows.map(({ row }) => row)),
  ])
  const keys = new Map(written.map((chunk) => [rowName(chunk.document_id, chunk.id), chunk.key]))
  const vectors = rows.flatMap(({ row, vector }) =>
    vector ? [{ key: keys.get(rowName(row.document_id, row.id)) ?? "", ...vector }] : [],
  )
  if (vectors.length === 0) return
  await transaction.query(INSERT_VECTORS, [
    tenant,
    vectors.map(({ key }) => key),
    vectors.map(({ model }) => spaces.get(model)?.id ?? 0),
    vectors.map(({ vector }) => halfvecToSql(vector)),
  ])
}

function rowName(documentId: string, chunkId: string): string {
  return `${chunkId} ${documentId}`
}
