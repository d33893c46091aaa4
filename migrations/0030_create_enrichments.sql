-- What a language model noted of a document's chunks and figures, by what it was shown. A killed job goes on from here, and
-- a later upload of the document pays for nothing that is there. Publishing copies it to the chunks; no search sees it.
select set_config('search_path', concordance.function_path(), true);

create table concordance.enrichments (
  source_account_id text not null default 'primary',
  document_id text collate "C" not null,
  kind text not null check (kind in ('chunk', 'figure')),
  hash text collate "C" not null,           -- of a chunk its content_hash, of a figure the SHA-256 of its picture
  model text not null,
  notes jsonb not null,                     -- lib/documents/enrichment/notes.ts
  primary key (source_account_id, document_id, kind, hash),
  foreign key (source_account_id, document_id) references concordance.documents on delete cascade
);
comment on table concordance.enrichments is 'What a language model noted of chunks and figures.';

alter table concordance.ingest_jobs
  add column enrich_done int not null default 0,      -- chunks and figures that the language model has seen to
  add column enrich_total int not null default 0,
  add column enrich_tokens bigint not null default 0; -- asked and answered, useless answers too

-- Translation, anomalies and entities are this model's; null: somebody's who brought them, or there are none.
alter table concordance.chunks add column enriched_by text;

alter table concordance.enrichments enable row level security;
create policy tenant on concordance.enrichments to concordance_app
  using (source_account_id = (select current_setting('app.source_account_id', true)));
create policy reader on concordance.enrichments for select to concordance_reader
  using (source_account_id = (select concordance.current_tenant()));
grant select, insert, update, delete on concordance.enrichments to concordance_app;
grant select on concordance.enrichments to concordance_reader;
