-- Who sees which row. The service names its tenant in `app.source_account_id`, inside its transaction; without it, or
-- with an empty one, nothing is visible, for no tenant is called ''. `(select …)` is evaluated once a query, not once a row.
select set_config('search_path', concordance.function_path(), true);

-- Which tenants a person with a login of their own may see: the setting chooses among these, it doesn't add to them.
create table concordance.role_tenants (
  role_name name not null,
  source_account_id text not null check (source_account_id <> ''),
  primary key (role_name, source_account_id)
);

-- The tenant of this unit of work: what the setting says, for the service; for anyone else only if `role_tenants` agrees.
-- Null means nobody. By `session_user`, since inside `lexical_candidates` the current user is its owner.
create function concordance.current_tenant() returns text
language plpgsql stable parallel safe set search_path = pg_catalog, concordance, pg_temp as $$
declare
  tenant text := nullif(current_setting('app.source_account_id', true), '');
begin
  if pg_has_role(session_user, 'concordance_app', 'member') then return tenant; end if;
  return (select r.source_account_id from role_tenants r where r.role_name = session_user and r.source_account_id = tenant);
end $$;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['documents', 'chunks', 'embedding_spaces', 'embeddings', 'lexeme_counts', 'lexeme_count_deltas'] loop
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

-- Ids of spaces are the owner's to give: chosen freely they would tell which ids other tenants have, and could take them.
revoke insert, update on concordance.embedding_spaces from concordance_app;
grant insert (source_account_id, model, dimensions, state), update (state) on concordance.embedding_spaces to concordance_app;

alter table concordance.role_tenants enable row level security;
create policy own on concordance.role_tenants for select to concordance_reader using (role_name = session_user);
grant select on concordance.role_tenants to concordance_app, concordance_reader;

-- A key is found by whoever knows its hash, and by nobody else.
alter table concordance.api_keys enable row level security;
create policy own on concordance.api_keys for select to concordance_app
  using (key_hash = (select current_setting('app.api_key_hash', true)));
grant select on concordance.api_keys to concordance_app;
