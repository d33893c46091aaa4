import * as z from "zod"
import { formatCitation } from "../citation.ts"
import { decodeCursor, decodePlace, encodeCursor, encodePlace } from "../cursor.ts"
import type { Database, Statement } from "../database/database.ts"
import { AppError } from "../errors.ts"
import { cropUrl, pageImageUrl, pageUrl, tableUrl } from "../page-links.ts"
import { type Region, StorableText } from "../shapes.ts"
import type { Anomaly, ChunkEntity } from "./annotations.ts"
import type { ChunkDetails, ChunkList, PageDetails, PageList, PageSummary } from "./page-details.ts"

/** The picture of a page, where it is stored. */
export interface StoredPageImage {
  readonly imageKey: string
  /** Points. */
  readonly width: number | null
  /** Generation of the document that is served. */
  readonly version: string
}

/** Where a chunk stands in the version that is served. */
export interface StoredRegions {
  readonly regions: readonly Region[]
  /** Of the chunk's own picture, where it has one. */
  readonly imageKey: string | null
  readonly version: string
}

/** What a reader turns over. Everything throws `not_found`, of another tenant's document too. */
export interface DocumentPages {
  /** In order; `cursor` is `next_cursor` of the page before. Throws `invalid_request` on a foreign cursor. */
  list(tenant: string, id: string, page: { readonly limit: number; readonly cursor?: string }): Promise<PageList>
  get(tenant: string, id: string, number: number): Promise<PageDetails>
  image(tenant: string, id: string, number: number): Promise<StoredPageImage>
  /** Regions of a chunk, or a parent, on every page. */
  regions(tenant: string, id: string, chunkId: string): Promise<StoredRegions>
  chunk(tenant: string, id: string, chunkId: string): Promise<ChunkDetails>
  /** All but parents, in reading order, with pages or without. `cursor` is as that of `list`. */
  chunks(tenant: string, id: string, page: { readonly limit: number; readonly cursor?: string }): Promise<ChunkList>
  /** RFC 4180. */
  table(tenant: string, id: string, number: number): Promise<string>
}

const DOCUMENT = `select generation::text as version from documents where id = $1 and status <> 'deleted'`
const PAGE_COLUMNS = "number, width, height, source, confidence, image_key is not null as has_image"
const PAGES = `select ${PAGE_COLUMNS} from pages where document_id = $1 and number > $2 order by number limit $3`
const PAGE = `select ${PAGE_COLUMNS} from pages where document_id = $1 and number = $2`
const IMAGE = `
  select p.image_key, p.width, d.generation::text as version from pages p
    join documents d on d.source_account_id = p.source_account_id and d.id = p.document_id
   where p.document_id = $1 and p.number = $2 and p.image_key is not null`

const CHUNK_COLUMNS = `
  c.id, c.title, c.kind, c.content, c.language, c.translation_language, c.translated_content, c.first_page, c.regions,
  c.parent_id, c.anomalies, c.entities, c.enriched_by, c.metadata, c.image_key is not null as has_own_image,
  (select p.image_key is not null from pages p where p.source_account_id = c.source_account_id
      and p.document_id = c.document_id and p.number = c.first_page) as page_has_image,
  (select t.number from document_tables t where t.source_account_id = c.source_account_id
      and t.document_id = c.document_id and c.kind = 'table' and t.number::text = c.metadata ->> 'table') as table_number`
const CHUNKS_OF_PAGE = `
  select ${CHUNK_COLUMNS} from chunks c
   where c.document_id = $1 and c.searchable and c.first_page <= $2 and c.last_page >= $2
     and c.regions @> jsonb_build_array(jsonb_build_object('page', $2::int))
   order by c.ordinal`
const CHUNKS = `
  select ${CHUNK_COLUMNS}, c.ordinal from chunks c
   where c.document_id = $1 and c.searchable and (c.ordinal, c.id) > ($2::int, $3) order by c.ordinal, c.id limit $4`
const CHUNK = `select ${CHUNK_COLUMNS} from chunks c where c.document_id = $1 and c.id = $2`

// In one statement, so that the version is that of the regions.
const REGIONS = `
  select c.regions, c.image_key as "imageKey", d.generation::text as version from chunks c
    join documents d on d.source_account_id = c.source_account_id and d.id = c.document_id
   where c.document_id = $1 and c.id = $2`

const TABLE = "select csv from document_tables where document_id = $1 and number = $2"

const AfterChunk = z.tuple([z.int32().min(0), StorableText])

export function createDocumentPages(database: Database): DocumentPages {
  /** The rows of statements about one document, whose version comes first. */
  async function read(tenant: string, id: string, statements: readonly Statement[]) {
    const [documents = [], ...lists] = await database.batch({ tenant }, [
      { text: DOCUMENT, values: [id] },
      ...statements,
    ])
    const [document] = documents as unknown as { version: string }[]
    if (!document) throw new AppError("not_found", "There is no document with this id")
    return { place: { tenant, documentId: id, version: document.version }, lists }
  }
  return {
    async list(tenant, id, { limit, cursor }) {
      const list = ["pages", tenant, id]
      const after = cursor === undefined ? 0 : decodeCursor(cursor, list, "number")
      const { place, lists } = await read(tenant, id, [{ text: PAGES, values: [id, after, limit + 1] }])
      const rows = (lists[0] ?? []) as unknown as PageRow[]
      const pages = rows.slice(0, limit).map((row) => toPage(place, row))
      const last = pages.at(-1)
      return { pages, ...(rows.length > limit && last && { next_cursor: encodeCursor(last.number, list) }) }
    },
    async get(tenant, id, number) {
      const values = [id, number]
      const { place, lists } = await read(tenant, id, [
        { text: PAGE, values },
        { text: CHUNKS_OF_PAGE, values },
      ])
      const [row] = (lists[0] ?? []) as unknown as PageRow[]
      if (!row) throw new AppError("not_found", "The document has no page with this number")
      const chunks = (lists[1] ?? []) as unknown as ChunkRow[]
      return { ...toPage(place, row), chunks: chunks.map((chunk) => toChunk(place, chunk)) }
    },
    async image(tenant, id, number) {
      const { lists } = await read(tenant, id, [{ text: IMAGE, values: [id, number] }])
      const [row] = (lists[0] ?? []) as unknown as { image_key: string; width: number | null; version: string }[]
      if (!row) throw noPicture()
      return { imageKey: row.image_key, width: row.width, version: row.version }
    },
    async regions(tenant, id, chunkId) {
      const { lists } = await read(tenant, id, [{ text: REGIONS, values: [id, chunkId] }])
      const [row] = (lists[0] ?? []) as unknown as StoredRegions[]
      if (!row) throw noChunk()
      return row
    },
    async chunk(tenant, id, chunkId) {
      const { place, lists } = await read(tenant, id, [{ text: CHUNK, values: [id, chunkId] }])
      const [row] = (lists[0] ?? []) as unknown as ChunkRow[]
      if (!row) throw noChunk()
      return toChunk(place, row)
    },
    async chunks(tenant, id, { limit, cursor }) {
      const list = ["chunks", tenant, id]
      const after = cursor === undefined ? [-1, ""] : decodePlace(cursor, list, AfterChunk)
      const { place, lists } = await read(tenant, id, [{ text: CHUNKS, values: [id, ...after, limit + 1] }])
      const rows = (lists[0] ?? []) as unknown as (ChunkRow & { readonly ordinal: number })[]
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      return {
        chunks: shown.map((row) => toChunk(place, row)),
        ...(rows.length > limit && last && { next_cursor: encodePlace([last.ordinal, last.id], list) }),
      }
    },
    async table(tenant, id, number) {
      const { lists } = await read(tenant, id, [{ text: TABLE, values: [id, number] }])
      const [row] = (lists[0] ?? []) as unknown as { csv: string }[]
      if (!row) throw new AppError("not_found", "The document has no table with this number")
      return row.csv
    },
  }
}

const noPicture = () =>
  new AppError(
    "not_found",
    "The document has no picture of a page with this number: only PDFs and images have pages with pictures",
  )

const noChunk = () => new AppError("not_found", "The document has no chunk with this id")

interface Place {
  readonly tenant: string
  readonly documentId: string
  readonly version: string
}

interface PageRow {
  readonly number: number
  readonly width: number | null
  readonly height: number | null
  readonly source: PageSummary["source"]
  readonly confidence: number | null
  readonly has_image: boolean
}

function toPage(place: Place, { number, width, height, source, confidence, has_image }: PageRow): PageSummary {
  const address = { ...place, page: number }
  return {
    number,
    ...(width !== null && { width }),
    ...(height !== null && { height }),
    source,
    ...(confidence !== null && { confidence }),
    page_url: pageUrl(address),
    ...(has_image && { image_url: pageImageUrl(address) }),
  }
}

interface ChunkRow {
  readonly id: string
  readonly title: string
  readonly kind: ChunkDetails["kind"]
  readonly content: string
  readonly language: string
  readonly translation_language: string | null
  readonly translated_content: string | null
  readonly first_page: number | null
  readonly regions: Region[]
  readonly parent_id: string | null
  readonly anomalies: Anomaly[]
  readonly entities: ChunkEntity[]
  readonly enriched_by: string | null
  readonly metadata: Record<string, unknown>
  readonly has_own_image: boolean
  /** Null where the document has no such page. */
  readonly page_has_image: boolean | null
  readonly table_number: number | null
}

function toChunk(place: Place, row: ChunkRow): ChunkDetails {
  const { tenant, documentId } = place
  const { id, title, kind, content, language, metadata, regions } = row
  const page = row.first_page ?? undefined
  return {
    id,
    document_id: documentId,
    title,
    kind,
    content,
    language,
    ...translationOf(row),
    ...(page !== undefined && { page }),
    ...(regions.length > 0 && { regions }),
    citation: formatCitation({ documentId, chunkId: id, page }),
    ...(row.parent_id !== null && { parent_id: row.parent_id }),
    ...(row.anomalies.length > 0 && { anomalies: row.anomalies }),
    ...(row.entities.length > 0 && { entities: row.entities }),
    ...(row.enriched_by !== null && { enriched_by: row.enriched_by }),
    metadata,
    ...linksTo(place, row),
    ...(row.table_number !== null && { table_url: tableUrl(tenant, documentId, row.table_number) }),
  }
}

function translationOf({ translation_language: language, translated_content: content }: ChunkRow) {
  return language !== null && content !== null ? { translation: { language, content } } : {}
}

function linksTo(place: Place, { id, first_page: page, has_own_image, page_has_image }: ChunkRow) {
  if (page === null || page_has_image === null) return {}
  const address = { ...place, page }
  return { page_url: pageUrl(address), ...((page_has_image || has_own_image) && { crop_url: cropUrl(address, id) }) }
}
