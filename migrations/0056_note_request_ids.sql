-- Which request brought an upload, so that whoever looks at a failed job finds the log lines and traces of it. Ids of callers are
-- let in up to 128 characters (lib/activity.ts); jobs of before, and those that nobody asked for, have none.
select set_config('search_path', concordance.function_path(), true);

alter table concordance.ingest_jobs add column request_id text check (char_length(request_id) <= 128);
comment on column concordance.ingest_jobs.request_id is 'Of the request that brought the upload; null: not known.';
