-- The bucket's events, key by key: a sequencer says which of two events of one key came later, and nothing of other keys.
select set_config('search_path', concordance.function_path(), true);

-- Every key that the service gave out for an upload, and those that somebody else put a file under. A row outlives its
-- document: an event that comes late changes nothing.
create table concordance.upload_keys (
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  key text collate "C" not null,
  document_id text collate "C" not null,
  announced boolean not null default true,  -- false: nobody asked for this key, so no file under it is read
  sequencer text collate "C",               -- of the last event that was applied: lib/documents/ingest/event-order.ts
  primary key (source_account_id, key)
);
comment on table concordance.upload_keys is 'Keys of uploads, and the last of the bucket''s events for each.';

insert into concordance.upload_keys (source_account_id, key, document_id)
  select source_account_id, key, document_id from concordance.uploads where starts_with(key, 'uploads/')
  union
  select source_account_id, upload_key, document_id from concordance.ingest_jobs where starts_with(upload_key, 'uploads/')
on conflict do nothing;

-- Of a whole document, it compared what can't be compared.
alter table concordance.documents drop column sequencer;

-- What is read: the version that the event told of. Null: what stands under the key.
alter table concordance.ingest_jobs add column upload_version text;

alter table concordance.upload_keys enable row level security;
create policy tenant on concordance.upload_keys to concordance_app
  using (source_account_id = (select current_setting('app.source_account_id', true)));
create policy reader on concordance.upload_keys for select to concordance_reader
  using (source_account_id = (select concordance.current_tenant()));
grant select, insert, update, delete on concordance.upload_keys to concordance_app;
grant select on concordance.upload_keys to concordance_reader;
