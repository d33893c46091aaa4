-- Keys of the object store that a file is expected under, or is being written to: what is left of them when the time is
-- over is removed. The row goes when the file becomes a job; that of a chunk's picture (`images/…`), when its chunk is there
-- or, with a time that is over, when the picture was removed.
create table concordance.uploads (
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  key text collate "C" not null,
  document_id text collate "C" not null,
  file_name text not null default '',
  options jsonb not null default '{}',
  expires_at timestamptz not null,
  primary key (source_account_id, key)
);
comment on table concordance.uploads is 'Files on their way into the object store.';

create index uploads_document on concordance.uploads (source_account_id, document_id);
