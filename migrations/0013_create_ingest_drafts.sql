-- What a job has finished before it is published: a killed worker's successor goes on from here. No search sees it.
create table concordance.page_drafts (
  source_account_id text not null default 'primary',
  document_id text collate "C" not null,
  generation bigint not null,
  number int not null,
  width float8,
  height float8,
  image_key text collate "C",
  source text not null,
  confidence float8,
  content text not null,                    -- words, figures and rules: lib/documents/ingest/page-draft.ts
  warning text,                             -- why the page could not be read
  primary key (source_account_id, document_id, generation, number),
  foreign key (source_account_id, document_id, generation) references concordance.ingest_jobs on delete cascade
);
comment on table concordance.page_drafts is 'Pages that a job has read.';

create table concordance.embedding_drafts (
  source_account_id text not null default 'primary',
  document_id text collate "C" not null,
  generation bigint not null,
  model text not null,
  text_hash text not null,                  -- SHA-256 of what the model read
  embedding halfvec not null,
  truncated boolean not null default false, -- the model did not read all of it
  primary key (source_account_id, document_id, generation, model, text_hash),
  foreign key (source_account_id, document_id, generation) references concordance.ingest_jobs on delete cascade
);
comment on table concordance.embedding_drafts is 'Vectors that a job has made, by what the model read.';
