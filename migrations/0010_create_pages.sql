-- Pages of the version of a document that is served. Formats without pages have none.
create table concordance.pages (
  source_account_id text not null default 'primary',
  document_id text collate "C" not null,
  number int not null check (number >= 1),
  width float8,                             -- points, as displayed; null of a page that could not be read
  height float8,
  image_key text collate "C",               -- of its picture in the object store
  source text not null check (source in ('embedded', 'ocr', 'given', 'none')),  -- given: by a bundle
  confidence float8,                        -- mean of the recognised words, 0 to 1
  primary key (source_account_id, document_id, number),
  foreign key (source_account_id, document_id) references concordance.documents on delete cascade
);
comment on table concordance.pages is 'Size and picture of each page of a document, and where its text came from.';
