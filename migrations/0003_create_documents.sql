-- Documents, their chunks and the chunks' vectors. Ids compare by bytes ("C"), so that ties break alike here and in code.
select set_config('search_path', concordance.function_path(), true);

create table concordance.documents (
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  id text collate "C" not null,
  title text not null default '',
  source_uri text,
  mime_type text,
  sha256 text,
  languages text[] not null default '{}',
  page_count int,
  status text not null default 'ready' check (status in ('queued', 'processing', 'ready', 'failed', 'deleted')),
  error text,
  generation bigint not null default 1,   -- raised by every write: a late worker sees that it is late
  sequencer text,                         -- order of the bucket's events
  last_chunk int not null default 0,      -- highest chunk number ever given: none is used again
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (source_account_id, id)
);
comment on table concordance.documents is 'One row a document; a deleted one leaves a tombstone (status deleted).';

create table concordance.chunks (
  key bigint generated always as identity,  -- what vectors and candidate lists carry instead of three texts
  source_account_id text not null default 'primary',
  document_id text collate "C" not null,
  id text collate "C" not null,             -- c0042; a parent is p0007
  ordinal int not null,
  parent_id text collate "C",
  kind text not null default 'text' check (kind in ('text', 'table', 'figure', 'heading')),
  searchable boolean not null default true, -- a parent is read, never found
  title text not null default '',
  content text not null,
  translated_content text,
  language text not null default 'en',
  first_page int,
  last_page int,
  regions jsonb not null default '[]',
  anomalies jsonb not null default '[]',
  metadata jsonb not null default '{}',     -- the document's and the chunk's own, which wins
  content_hash text not null,
  lexemes tsvector not null,
  bm25 sparsevec not null,
  primary key (source_account_id, document_id, id),
  unique (source_account_id, key),
  foreign key (source_account_id, document_id) references concordance.documents on delete cascade
);
comment on table concordance.chunks is 'The unit of retrieval, in reading order within its document.';

-- In line rather than out of line: 13,315 candidates of long chunks score in 35 ms against 63.
alter table concordance.chunks alter column bm25 set storage main;

-- The tenant is part of the index: a tenant of 1 % takes 1.9 ms, and 33 when the index ignores it.
-- Without the pending list, which every search would have to read through.
create index chunks_lexemes on concordance.chunks using gin (source_account_id, lexemes) with (fastupdate = off);

create function concordance.set_chunk_lexemes() returns trigger
language plpgsql set search_path from current as $$
begin
  if new.searchable then
    new.lexemes := chunk_lexemes(lexicon(new.language), new.title, new.content);
  else
    new.lexemes := '';
  end if;
  new.bm25 := bm25_weights(lexicon(new.language), new.lexemes);
  return new;
end $$;

create trigger set_lexemes before insert or update of title, content, language, searchable, lexemes, bm25
  on concordance.chunks for each row execute function concordance.set_chunk_lexemes();

create table concordance.embedding_spaces (
  id int generated always as identity primary key,
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  model text not null,
  dimensions int not null check (dimensions between 1 and 4000),
  state text not null default 'active' check (state in ('building', 'active', 'retired')),
  indexed boolean not null default false,   -- has an HNSW index; without one it is scanned exactly
  created_at timestamptz not null default now(),
  unique (source_account_id, model),
  unique (source_account_id, id)
);
comment on table concordance.embedding_spaces is 'One row a tenant and model, or caller:1536 for vectors that callers bring.';

create table concordance.embeddings (
  source_account_id text not null default 'primary',
  chunk_key bigint not null,
  space_id int not null,
  embedding halfvec not null,
  primary key (source_account_id, chunk_key, space_id),
  foreign key (source_account_id, chunk_key) references concordance.chunks (source_account_id, key) on delete cascade,
  foreign key (source_account_id, space_id) references concordance.embedding_spaces (source_account_id, id) on delete cascade
);
-- In line up to 1,024 dimensions and more: an exact scan of 20,000 takes 18 ms against 47.
alter table concordance.embeddings set (toast_tuple_target = 8160);
alter table concordance.embeddings alter column embedding set storage main;
