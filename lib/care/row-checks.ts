import type { ProblemKind } from "./problem.ts"

/** A look at one tenant's rows: one row for each thing that is wrong, `id` its document where it has one. */
export interface RowCheck {
  readonly kind: ProblemKind
  /** Gives `id`, and `count`, the things wrong with it. */
  readonly find: string
  /** `find` has `$1`: how old, in ms, what looks unfinished must be. */
  readonly hasAge?: true
  /** Mends all of it, or what of it can be; in order. Absent: `repair-problems.ts` does, or nobody. */
  readonly repair?: readonly string[]
}

const AGED = "now() - $1::float8 * interval '1 ms'"

// The statement sees chunks and counts in one snapshot, and every writer commits both together: what it adds is exact
// whoever writes meanwhile.
const COUNT_DIFFERENCES = `
  with counted as (
    select lexicon, lexeme, sum(chunks) as chunks
      from (select lexicon, lexeme, chunks from lexeme_counts union all
            select lexicon, lexeme, chunks from lexeme_count_deltas) c group by 1, 2),
  recounted as (
    select term.lexicon, term.lexeme, count(*) as chunks
      from chunks c, lateral counted_terms(c.language, c.translation_language, c.lexemes, c.searchable) term group by 1, 2)
  select lexicon, lexeme, coalesce(r.chunks, 0) - coalesce(c.chunks, 0) as difference
    from counted c full join recounted r using (lexicon, lexeme)
   where coalesce(r.chunks, 0) <> coalesce(c.chunks, 0)`

const HIGHEST = `
  select document_id, max(substr(id, 2)::int) as highest from chunks where id ~ '^[cp][0-9]{1,9}$' group by 1`

const OPEN = `select from ingest_jobs j where j.document_id = d.id and j.state in ('queued', 'processing')`
const STUCK = `
  d.status in ('queued', 'processing') and d.updated_at < ${AGED} and not exists (${OPEN})
  and not exists (select from ingest_jobs j where j.document_id = d.id and j.state = 'failed')
  and not exists (select from uploads u where u.document_id = d.id and u.expires_at > now())`

const STUCK_JOB = `
  (state = 'processing' and coalesce(lease_until, updated_at) < ${AGED}
   or state = 'queued' and updated_at < now() - interval '1 day')`

/** Of a page of a document, what its own rows say. Documents whose chunks were given with regions alone have no pages. */
const PAGE_COUNTS = `
  select d.id, (select count(*)::int from pages p where p.document_id = d.id) as held, coalesce(d.page_count, 0) as said
    from documents d where d.status = 'ready'`

/** All looks at rows, in the order in which they are told. */
export const ROW_CHECKS: readonly RowCheck[] = [
  {
    kind: "page_count",
    find: `select id, 1 as count from (${PAGE_COUNTS}) c where said <> held and held > 0`,
    repair: [
      `update documents d set page_count = c.held from (${PAGE_COUNTS}) c where d.id = c.id and c.said <> c.held and c.held > 0`,
    ],
  },
  {
    kind: "page_missing",
    find: `
      select d.id, count(*)::int as count from documents d join chunks c on c.document_id = d.id
       where d.status = 'ready' and d.page_count > 0 and c.first_page is not null
         and exists (select from generate_series(c.first_page, c.last_page) n
                      where not exists (select from pages p where p.document_id = d.id and p.number = n))
       group by d.id`,
  },
  {
    kind: "parent_missing",
    find: `
      select c.document_id as id, count(*)::int as count from chunks c
       where c.parent_id is not null
         and not exists (select from chunks p where p.document_id = c.document_id and p.id = c.parent_id)
       group by 1`,
  },
  {
    // A document that was written without any model is found by words alone because somebody wanted it so.
    kind: "vector_missing",
    find: `
      with embedded as (
        select distinct c.document_id from embeddings e join embedding_spaces s on s.id = e.space_id
          join chunks c on c.key = e.chunk_key where not starts_with(s.model, 'caller:'))
      select c.document_id as id, count(*)::int as count from embedded m join chunks c on c.document_id = m.document_id
       where c.searchable and not exists (
             select from embeddings e join embedding_spaces s on s.id = e.space_id
              where e.chunk_key = c.key and s.state = 'active')
       group by 1`,
  },
  {
    kind: "word_counts",
    find: `select null::text as id, count(*)::int as count from (${COUNT_DIFFERENCES}) d having count(*) > 0`,
    repair: [
      `insert into lexeme_count_deltas (source_account_id, lexicon, lexeme, chunks)
       select current_setting('app.source_account_id'), lexicon, lexeme, difference from (${COUNT_DIFFERENCES}) d`,
    ],
  },
  {
    kind: "last_chunk",
    find: `select d.id, 1 as count from documents d join (${HIGHEST}) h on h.document_id = d.id where h.highest > d.last_chunk`,
    repair: [
      `update documents d set last_chunk = h.highest from (${HIGHEST}) h where h.document_id = d.id and h.highest > d.last_chunk`,
    ],
  },
  {
    kind: "entities",
    find: `
      select c.document_id as id, count(*)::int as count from chunks c
       where c.entities <> '[]' and not exists (
             select from entity_mentions m where m.document_id = c.document_id and m.chunk_id = c.id)
       group by 1`,
  },
  {
    kind: "tombstone",
    find: `
      select d.id, 1 as count from documents d where d.status = 'deleted' and (
        exists (select from chunks c where c.document_id = d.id) or exists (select from pages p where p.document_id = d.id)
        or exists (select from document_tables t where t.document_id = d.id)
        or exists (select from enrichments e where e.document_id = d.id))`,
  },
  {
    kind: "job_stuck",
    hasAge: true,
    find: `select document_id as id, 1 as count from ingest_jobs where ${STUCK_JOB}`,
    repair: [
      `update ingest_jobs set state = 'queued', worker = null, lease_until = null, updated_at = now() where ${STUCK_JOB}`,
    ],
  },
  {
    kind: "document_stuck",
    hasAge: true,
    find: `select d.id, 1 as count from documents d where ${STUCK}`,
    repair: [
      `update documents d set updated_at = now(),
              status = case when c.is_there then 'ready' else 'failed' end,
              error = case when c.is_there then null else 'The work on this upload was lost: upload the file again' end
         from (select d.id, exists (select from chunks c where c.document_id = d.id) as is_there
                 from documents d where ${STUCK} for update of d) c
        where d.id = c.id`,
    ],
  },
  {
    // What a new upload has superseded goes when its run ends.
    kind: "leftovers",
    hasAge: true,
    find: `
      select id, count(*)::int as count from (
        select document_id as id from ingest_jobs j where state = 'superseded' and updated_at < ${AGED}
           and not exists (select from ingest_jobs o where o.document_id = j.document_id and o.state in ('queued', 'processing'))
        union all
        select document_id from uploads where expires_at < ${AGED}
        union all
        select distinct j.document_id from ingest_jobs j
         where j.state = 'failed' and j.updated_at < ${AGED} and (
               exists (select from page_drafts p where p.document_id = j.document_id and p.generation = j.generation)
               or exists (select from embedding_drafts e where e.document_id = j.document_id and e.generation = j.generation))) l
       group by 1`,
  },
  {
    kind: "publication",
    hasAge: true,
    find: `
      select p.document_id as id, count(*)::int as count from index_publications p
        left join documents d on d.id = p.document_id and d.status <> 'deleted'
       where p.updated_at < ${AGED} and (p.generation is null or d.id is null) group by 1`,
  },
]
