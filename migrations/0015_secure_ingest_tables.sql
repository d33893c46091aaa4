-- The same walls as around the tables of 0006.
select set_config('search_path', concordance.function_path(), true);

do $$
declare
  table_name text;
begin
  foreach table_name in array array['pages', 'document_tables', 'ingest_jobs', 'page_drafts', 'embedding_drafts', 'uploads'] loop
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
