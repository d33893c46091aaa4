import type { Database, SqlValue } from "../../database/database.ts"

// A tombstone, an upload that was never read, and nothing at all are one: there is nothing of the document to be found.
const SERVED = "case when d.status = 'ready' then d.generation::text end"

const STATES = `
  with wanted as (
    select id collate "C" as id from unnest($1::text[]) as given (id)
    union select document_id from index_publications where target = $2 and $3)
  select w.id, s.version, p.chunk_ids[1] as first, p.document_id is not null as held,
         coalesce(p.generation::text = s.version and p.model = $4, false) as current,
         (select count(*)::int from chunks c where c.document_id = w.id and c.searchable = $5) as records
    from wanted w
    left join documents d on d.id = w.id
    left join index_publications p on p.document_id = w.id and p.target = $2,
         lateral (select ${SERVED} as version) s
   order by w.id`

const STANDING = `
  select ${SERVED} as version, coalesce(p.chunk_ids, '{}') as held,
         array(select c.id from chunks c where c.document_id = w.id and c.searchable = $3 order by c.ordinal)::text[] as ids
    from (select $1::text collate "C" as id) w
    left join documents d on d.id = w.id
    left join index_publications p on p.document_id = w.id and p.target = $2`

const BEGIN = `
  insert into index_publications (source_account_id, target, document_id, chunk_ids) values ($1, $2, $3, $4::text[])
  on conflict (source_account_id, target, document_id) do update
     set generation = null, chunk_ids = excluded.chunk_ids, updated_at = now()`

const FINISH = `
  update index_publications p set generation = d.generation, model = $4, chunk_ids = $5::text[], updated_at = now()
    from documents d
   where p.target = $1 and p.document_id = $2 and d.id = $2 and d.status = 'ready' and d.generation::text = $3
  returning 1`

const FORGET = `
  delete from index_publications p where p.target = $1 and p.document_id = $2
     and not exists (select from documents d where d.id = $2 and d.status = 'ready')
  returning 1`

/** How a document here and what is known of it in a collection elsewhere compare. */
export interface PublishedState {
  readonly id: string
  /** Generation that is served; null: none. */
  readonly version: string | null
  /** Chunk that the record of it names first; null: it has none. */
  readonly first: string | null
  readonly held: boolean
  /** That version was written, by that model. */
  readonly current: boolean
  /** Chunks, or parents, that it has. */
  readonly records: number
}

/** One document, on its way into a collection. */
export interface Standing {
  readonly version: string | null
  /** Chunks that are to be there, in reading order. */
  readonly ids: readonly string[]
  /** Chunks that may be there. */
  readonly held: readonly string[]
}

/** What a tenant has in one collection elsewhere, kept in the database here. */
export interface Publications {
  /** Of these documents and, with `others`, of all that are there; in order of id. */
  states(documentIds: readonly string[], others: boolean): Promise<readonly PublishedState[]>
  standing(documentId: string): Promise<Standing>
  /** Notes what may be there from now on, before it is written: whoever takes over from a killed process knows of it. */
  begin(documentId: string, chunkIds: readonly string[]): Promise<void>
  /** Notes that the version is there as a whole, and nothing else of it. False where another one is served by now. */
  finish(documentId: string, version: string, chunkIds: readonly string[]): Promise<boolean>
  /** Notes that nothing is there any more. False where the document is served by now. */
  forget(documentId: string): Promise<boolean>
}

interface PublicationsOptions {
  readonly database: Database
  readonly tenant: string
  /** Names the collection, wherever it is: the same each time. */
  readonly target: string
  readonly model: string
  /** Chunks that are found; false: parents. */
  readonly searchable: boolean
}

export function createPublications({ database, tenant, target, model, searchable }: PublicationsOptions): Publications {
  const run = async (text: string, values: readonly SqlValue[]) => {
    const [rows = []] = await database.batch({ tenant }, [{ text, values }])
    return rows
  }
  return {
    states: async (documentIds, others) =>
      (await run(STATES, [documentIds, target, others, model, searchable])) as unknown as PublishedState[],
    async standing(documentId) {
      const [row] = await run(STANDING, [documentId, target, searchable])
      return row as unknown as Standing
    },
    async begin(documentId, chunkIds) {
      await run(BEGIN, [tenant, target, documentId, chunkIds])
    },
    finish: async (documentId, version, chunkIds) =>
      (await run(FINISH, [target, documentId, version, model, chunkIds])).length > 0,
    forget: async (documentId) => (await run(FORGET, [target, documentId])).length > 0,
  }
}
