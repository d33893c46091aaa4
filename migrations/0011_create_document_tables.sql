-- Tables of the version of a document that is served, whole: a chunk of kind table holds a part of one.
create table concordance.document_tables (
  source_account_id text not null default 'primary',
  document_id text collate "C" not null,
  number int not null check (number >= 1),  -- in reading order
  csv text not null,                        -- RFC 4180
  rows int not null,
  header_rows int not null default 0,
  first_page int,
  last_page int,
  primary key (source_account_id, document_id, number),
  foreign key (source_account_id, document_id) references concordance.documents on delete cascade
);
comment on table concordance.document_tables is 'Tables of a document, stitched where they cross pages.';
