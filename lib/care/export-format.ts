import * as z from "zod"

/** The manifest's file name. It is written last: a folder without it is no export. */
export const MANIFEST = "manifest.json"
/** Stands in a folder while it is being written, so that nobody's own files are ever taken for an export's. */
export const UNFINISHED = "export-unfinished"
/** Folder of the objects, each under its key. */
export const OBJECTS_FOLDER = "objects"

const FORMAT = "concordance-export"
/** Raised by a change that an older release would read wrongly. */
export const FORMAT_VERSION = 1

const Digest = z.string().regex(/^[0-9a-f]{64}$/)

const LineFile = z.object({
  file: z.string().regex(/^[a-z_]+\.ndjson\.gz$/),
  rows: z.int().min(0),
  sha256: Digest.describe("Of the file as it lies there, packed"),
})
export type LineFile = z.infer<typeof LineFile>

/** What an export is, and what it must hold to be whole. */
export const Manifest = z.object({
  format: z.literal(FORMAT),
  version: z.int().min(1),
  created_at: z.string(),
  migration: z.string().describe("The latest one of the database that it is of"),
  tenants: z.array(z.string().min(1)).min(1),
  tables: z.record(z.string().regex(/^[a-z_]+$/), LineFile),
  objects: LineFile.extend({
    bytes: z.number(),
    included: z.boolean().describe("False: they are listed alone"),
    missing: z.int().min(0).describe("Named by a row, and not in the store"),
  }),
})
export type Manifest = z.infer<typeof Manifest>

/** A new manifest's own facts. */
export const manifestHead = { format: FORMAT, version: FORMAT_VERSION } as const

/** One line of `objects.ndjson.gz`; `sha256` is null of one that was missing. */
export const ObjectLine = z.object({
  source_account_id: z.string().min(1),
  document_id: z.string(),
  key: z.string().min(1),
  bytes: z.number(),
  content_type: z.string(),
  sha256: Digest.nullable(),
})
export type ObjectLine = z.infer<typeof ObjectLine>

/**
 * What each table's lines say, as a query that gives `line`, jsonb, of the tenants `$1`. In the order in which they can be
 * written back. What follows from other rows (counts of words, lexemes, weights), what is under way (drafts) and what is of
 * the installation (keys, usage, publications elsewhere) is left out.
 */
export const EXPORTED_TABLES: Readonly<Record<string, string>> = {
  documents:
    "select to_jsonb(t) as line from documents t where source_account_id = any($1::text[]) order by source_account_id, id",
  // What is being read is read anew.
  ingest_jobs: `
    select to_jsonb(t) - '{worker,lease_until,upload_version}'::text[]
           || case when state = 'processing' then '{"state": "queued", "attempts": 0, "pages_done": 0}'::jsonb else '{}' end as line
      from ingest_jobs t where source_account_id = any($1::text[]) and state <> 'superseded'
     order by source_account_id, document_id, generation`,
  upload_keys: `
    select to_jsonb(t) - 'sequencer' as line from upload_keys t where source_account_id = any($1::text[]) order by source_account_id, key`,
  pages: `
    select to_jsonb(t) as line from pages t where source_account_id = any($1::text[]) order by source_account_id, document_id, number`,
  document_tables: `
    select to_jsonb(t) as line from document_tables t where source_account_id = any($1::text[])
     order by source_account_id, document_id, number`,
  chunks: `
    select to_jsonb(t) - '{key,lexemes,bm25}'::text[] as line from chunks t where source_account_id = any($1::text[])
     order by source_account_id, document_id, id`,
  enrichments: `
    select to_jsonb(t) as line from enrichments t where source_account_id = any($1::text[])
     order by source_account_id, document_id, kind, hash`,
  embedding_spaces: `
    select to_jsonb(t) - '{id,indexed,created_at}'::text[] as line from embedding_spaces t
     where source_account_id = any($1::text[]) order by source_account_id, model`,
  search_tunings: `
    select to_jsonb(t) as line from search_tunings t where source_account_id = any($1::text[]) order by source_account_id`,
  search_feedback: `
    select to_jsonb(t) as line from search_feedback t where source_account_id = any($1::text[])
     order by source_account_id, id`,
  // As text a half is exact: PostgreSQL writes the shortest number that reads back as the same.
  embeddings: `
    select jsonb_build_object('source_account_id', c.source_account_id, 'document_id', c.document_id, 'chunk_id', c.id,
                              'model', s.model, 'embedding', e.embedding::text) as line
      from embeddings e
      join chunks c on c.source_account_id = e.source_account_id and c.key = e.chunk_key
      join embedding_spaces s on s.source_account_id = e.source_account_id and s.id = e.space_id
     where e.source_account_id = any($1::text[]) order by e.source_account_id, e.chunk_key, e.space_id`,
  // Both follow from the chunks, and are written anew from there; they are here for whoever reads the export.
  entities:
    "select to_jsonb(t) as line from entities t where source_account_id = any($1::text[]) order by source_account_id, id",
  entity_mentions: `
    select to_jsonb(t) as line from entity_mentions t where source_account_id = any($1::text[])
     order by source_account_id, entity_id, document_id, chunk_id, surface`,
}

/** Tables that exports of before don't have. */
export const LATER_TABLES: ReadonlySet<string> = new Set(["search_tunings", "search_feedback"])

/** Tables whose lines a restore doesn't write. */
export const DERIVED_TABLES: ReadonlySet<string> = new Set(["entities", "entity_mentions"])
