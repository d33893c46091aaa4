-- The work on one upload. A document has at most one that is open (queued, processing, failed) and one that is done, whose
-- version is served. A superseded one only marks that its drafts and objects are still to be removed.
create table concordance.ingest_jobs (
  source_account_id text not null default 'primary',
  document_id text collate "C" not null,
  generation bigint not null,               -- of the document when the upload came
  state text not null default 'queued' check (state in ('queued', 'processing', 'done', 'failed', 'superseded')),
  upload_key text collate "C" not null,     -- of the file in the object store
  file_name text not null default '',
  bytes bigint not null default 0,
  sha256 text,                              -- null until the file was read here (a presigned upload)
  options jsonb not null default '{}',      -- title, language, metadata, flat, as the uploader gave them
  attempts int not null default 0,          -- since the last progress
  pages_done int not null default 0,
  pages_total int,
  error_code text,
  error text,                               -- for the uploader
  warnings jsonb not null default '[]',
  worker text,                              -- who works on it, until `lease_until`
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (source_account_id, document_id, generation),
  foreign key (source_account_id, document_id) references concordance.documents on delete cascade
);
comment on table concordance.ingest_jobs is 'One row an upload: how far it is, who works on it, why it failed.';

create index ingest_jobs_pending on concordance.ingest_jobs (source_account_id, document_id)
  where state in ('queued', 'processing', 'superseded');
