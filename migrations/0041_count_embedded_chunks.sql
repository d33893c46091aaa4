-- How far the model is with a job's chunks: of a long file that takes longer than its pages.
select set_config('search_path', concordance.function_path(), true);

alter table concordance.ingest_jobs
  add column embed_done int not null default 0,
  add column embed_total int not null default 0;
