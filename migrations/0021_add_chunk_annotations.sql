-- What an archivist or a model notes about a chunk, beside `anomalies` ([{"kind", "note"}]), which was there before.
select set_config('search_path', concordance.function_path(), true);

alter table concordance.chunks
  add column entities jsonb not null default '[]',   -- [{"name", "kind", "surface"}]
  add column image_key text collate "C";             -- of its own picture in the object store

-- The list of anomalies reads the few chunks that have one, in order.
create index chunks_anomalies on concordance.chunks (source_account_id, document_id, ordinal) where anomalies <> '[]';
-- What may be removed from the store is told from the few that have a picture.
create index chunks_images on concordance.chunks (source_account_id, document_id) where image_key is not null;
