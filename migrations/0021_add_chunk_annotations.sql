-- What an archivist or a model notes about a chunk, beside `anomalies` ([{"kind", "note"}]), which was there before.
select set_config('search_path', concordance.function_path(), true);

alter table concordance.chunks
  add column entities jsonb not null default '[]',   -- [{"name", "kind", "surface"}]
  add column image text;                             -- name of its own picture among the document's objects

-- The list of anomalies reads the few chunks that have one, in order.
create index chunks_anomalies on concordance.chunks (source_account_id, document_id, ordinal) where anomalies <> '[]';
