-- What people did with the hits of a search (POST /feedback), for whoever makes judgments of it (`concordance feedback export`). A
-- query is content: it stands here, in exports of the tenant, and nowhere else.
select set_config('search_path', concordance.function_path(), true);

create table concordance.search_feedback (
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  id text collate "C" not null default gen_random_uuid()::text,
  query text not null check (char_length(query) <= 8000),
  document_id text collate "C" not null,
  chunk_id text collate "C",                -- null: the document as a whole
  action text not null check (action in ('click', 'helpful', 'not_helpful')),
  created_at timestamptz not null default now(),
  primary key (source_account_id, id)
);
comment on table concordance.search_feedback is 'What people did with the hits of a search: the latest 100,000 of a tenant, for 180 days.';
create index search_feedback_newest on concordance.search_feedback (source_account_id, created_at);

alter table concordance.search_feedback enable row level security;
create policy tenant on concordance.search_feedback to concordance_app
  using (source_account_id = (select current_setting('app.source_account_id', true)));
grant select, insert, delete on concordance.search_feedback to concordance_app;

-- Whether it was noted: not of a document that the tenant at work doesn't have, nor of a chunk that isn't the document's. One of a
-- hundred calls forgets what is too old or too much, so that no call pays for it and nothing has to run: a tenant holds some hundreds
-- more than the limit for a while.
create function concordance.note_feedback(query text, document text, chunk text, action text) returns boolean
language plpgsql volatile set search_path from current as $$
declare
  tenant text := current_tenant();
begin
  insert into search_feedback (source_account_id, query, document_id, chunk_id, action)
  select tenant, note_feedback.query, d.id, chunk, note_feedback.action from documents d
   where d.source_account_id = tenant and d.id = document and d.status <> 'deleted'
     and (chunk is null or exists (
           select from chunks c where c.source_account_id = tenant and c.document_id = d.id and c.id = chunk));
  if not found then return false; end if;
  if random() < .01 then perform age_feedback(); end if;
  return true;
end $$;

-- Of the tenant at work.
create function concordance.age_feedback(most int default 100000) returns void
language sql volatile set search_path from current as $$
  delete from search_feedback f
   where f.source_account_id = current_tenant()
     and f.created_at < greatest(now() - interval '180 days', (
           select o.created_at from search_feedback o where o.source_account_id = current_tenant()
            order by o.created_at desc offset most - 1 limit 1))
$$;
revoke execute on function concordance.note_feedback, concordance.age_feedback from public;
grant execute on function concordance.note_feedback, concordance.age_feedback to concordance_app;
