-- What `concordance tune --apply` learnt of a tenant from judged questions: its share of meaning and its reranker's share. One row a
-- tenant, which the service reads inside the statement that searches.
select set_config('search_path', concordance.function_path(), true);

create table concordance.search_tunings (
  source_account_id text primary key default 'primary' check (source_account_id <> ''),
  embedding_model text not null,            -- the shares are of this model's searches alone
  alpha float8 check (alpha between 0 and 1),                 -- null: the default's
  reranker text,
  rerank_share float8 check (rerank_share between 0 and 1),   -- of this reranker alone; null: the default's
  evidence jsonb not null default '{}' check (jsonb_typeof(evidence) = 'object'),   -- figures that it rests on; no question
  applied_at timestamptz not null default now(),
  check ((reranker is null) = (rerank_share is null))
);
comment on table concordance.search_tunings is 'Shares of meaning and of the reranker that were learnt from judged questions.';

-- The operator's to write: the service reads its tenant's.
alter table concordance.search_tunings enable row level security;
create policy tenant on concordance.search_tunings to concordance_app
  using (source_account_id = (select current_setting('app.source_account_id', true)));
grant select on concordance.search_tunings to concordance_app;

-- Of the tenant at work: one row, of nulls where it has none, or was tuned by another model than the question's. A vector that a
-- caller brought without naming its model is taken to be of the tenant's.
create function concordance.search_tuning(model text)
returns table (alpha float8, reranker text, rerank_share float8)
language sql stable rows 1 set search_path from current as $$
  select max(t.alpha), max(t.reranker), max(t.rerank_share) from search_tunings t
   where t.source_account_id = current_tenant()
     and (search_tuning.model is null or t.embedding_model = search_tuning.model)
$$;
revoke execute on function concordance.search_tuning(text) from public;
grant execute on function concordance.search_tuning(text) to concordance_app;
