-- Who and what the documents name, and where. All of it follows from `chunks.entities` and can be rebuilt from there
-- (`lib/documents/entities.ts`): names that differ in case, accents or punctuation alone are one entity.
select set_config('search_path', concordance.function_path(), true);

create table concordance.entities (
  source_account_id text not null,
  id text collate "C" not null,               -- kind and key: person:amelia-furtado
  kind text collate "C" not null,
  key text collate "C" not null,              -- the name as it is compared: lower case, no accents, no punctuation
  name text not null default '',              -- the form that is given most often
  aliases text[] not null default '{}',       -- every other form, name or surface
  search_keys text collate "C" not null default '',  -- keys of all of its forms, each in line breaks
  primary key (source_account_id, id)
);

create table concordance.entity_mentions (
  source_account_id text not null,
  entity_id text collate "C" not null,
  document_id text collate "C" not null,
  chunk_id text collate "C" not null,
  surface text collate "C" not null,          -- as the text has it
  name text not null,                         -- as the chunk's annotation names it
  primary key (source_account_id, entity_id, document_id, chunk_id, surface),
  foreign key (source_account_id, entity_id) references concordance.entities on delete cascade,
  foreign key (source_account_id, document_id, chunk_id) references concordance.chunks on delete cascade
);
-- For the cascade, and for a document's own mentions.
create index entity_mentions_chunk on concordance.entity_mentions (source_account_id, document_id, chunk_id);

do $$
declare
  table_name text;
begin
  foreach table_name in array array['entities', 'entity_mentions'] loop
    execute format('alter table concordance.%I enable row level security', table_name);
    execute format(
      'create policy tenant on concordance.%I to concordance_app
         using (source_account_id = (select current_setting(''app.source_account_id'', true)))', table_name);
    execute format(
      'create policy reader on concordance.%I for select to concordance_reader
         using (source_account_id = (select concordance.current_tenant()))', table_name);
    execute format('grant select, insert, update, delete on concordance.%I to concordance_app', table_name);
    execute format('grant select on concordance.%I to concordance_reader', table_name);
  end loop;
end $$;
