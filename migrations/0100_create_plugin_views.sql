-- The tables of the plugin that Concordance replaces, as views, for whoever still reads them: the same names, columns
-- and types. Where the plugin's own tables still stand, they are copied first (`lib/documents/upgrade-plugin-tables.ts`)
-- and the views come after; elsewhere they come at once.
select set_config('search_path', concordance.function_path(), true);

-- Hasura's role for a signed-in user, and the tenant that its session variable names. Null, that is nobody, without one.
do $$ begin create role nself_user nologin; exception when duplicate_object or unique_violation then null; end $$;

create function concordance.hasura_tenant() returns text
language sql stable parallel safe set search_path from current as $$
  select nullif(nullif(current_setting('hasura.user', true), '')::json ->> 'x-hasura-source-account-id', '')
$$;

grant usage on schema concordance to nself_user;
do $$
declare
  table_name text;
begin
  foreach table_name in array array['documents', 'chunks', 'embedding_spaces', 'embeddings'] loop
    execute format(
      'create policy hasura on concordance.%I for select to nself_user
         using (source_account_id = (select concordance.hasura_tenant()))', table_name);
    execute format('grant select on concordance.%I to nself_user', table_name);
  end loop;
end $$;

-- How far the copy of the plugin's tables has come: one row, there while there is or was something to copy.
create table concordance.plugin_upgrade (
  only_row boolean primary key default true check (only_row),
  last_source_account_id text,
  last_id text,
  copied bigint not null default 0,
  finished_at timestamptz
);

-- Rows that could not be copied, and why. They stay in `public.np_retrieval_documents_v0`.
create table concordance.plugin_rows_left (
  source_account_id text not null,
  id text not null,
  reason text not null,
  primary key (source_account_id, id)
);

-- The owner's own: for anybody else there is nothing in them.
alter table concordance.plugin_upgrade enable row level security;
alter table concordance.plugin_rows_left enable row level security;

-- Content is that of the document's own chunks in reading order; one that was not split is exactly what was indexed.
create function concordance.serve_plugin_views() returns void
language plpgsql set search_path from current as $$
begin
  create or replace view public.np_retrieval_documents with (security_invoker = true) as
  select d.id, d.source_account_id, d.title,
         coalesce((select string_agg(c.content, E'\n\n' order by c.ordinal) from chunks c
                    where c.source_account_id = d.source_account_id and c.document_id = d.id and c.parent_id is null), '') as content,
         d.created_at, d.updated_at
    from documents d
   where d.status = 'ready';

  create or replace view public.np_retrieval_embeddings with (security_invoker = true) as
  select distinct on (d.source_account_id, d.id)
         d.id as document_id, d.source_account_id, e.embedding::vector(1536) as embedding, d.created_at, d.updated_at
    from embedding_spaces s
    join embeddings e on e.source_account_id = s.source_account_id and e.space_id = s.id
    join chunks c on c.source_account_id = e.source_account_id and c.key = e.chunk_key
    join documents d on d.source_account_id = c.source_account_id and d.id = c.document_id
   where s.model = 'caller:1536' and d.status = 'ready'
   order by d.source_account_id, d.id, c.ordinal;

  grant select on public.np_retrieval_documents, public.np_retrieval_embeddings to nself_user;
end $$;
revoke execute on function concordance.serve_plugin_views from public;

-- An owner that may not create in `public` goes without: on a database that the plugin never used, nobody misses them.
do $$ begin
  if to_regclass('public.np_retrieval_documents') is null and has_schema_privilege('public', 'create') then
    perform concordance.serve_plugin_views();
  end if;
end $$;
