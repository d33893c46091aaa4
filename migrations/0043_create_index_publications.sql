-- What `ingest --into` wrote into an index elsewhere, document by document: engines can't be asked for the records of a document
-- alike, so what an old version left there is known from here.
select set_config('search_path', concordance.function_path(), true);

create table concordance.index_publications (
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  target text collate "C" not null,        -- engine, place and collection
  document_id text collate "C" not null,
  generation bigint,                       -- of the document as it is there; null while it is being written
  model text not null default '',          -- whose vectors those are
  chunk_ids text[] not null default '{}',  -- all that may be there, in reading order
  updated_at timestamptz not null default now(),
  primary key (source_account_id, target, document_id)
);
comment on table concordance.index_publications is 'Documents that were written into an index elsewhere; no foreign key, since they may be there when they are gone here.';

alter table concordance.index_publications enable row level security;
create policy tenant on concordance.index_publications to concordance_app
  using (source_account_id = (select current_setting('app.source_account_id', true)));
create policy reader on concordance.index_publications for select to concordance_reader
  using (source_account_id = (select concordance.current_tenant()));
grant select, insert, update, delete on concordance.index_publications to concordance_app;
grant select on concordance.index_publications to concordance_reader;
