-- For the totals of a collection, which are asked for every few seconds: what would otherwise read every row.
select set_config('search_path', concordance.function_path(), true);

-- `lexeme_counts` counts a chunk once for each of its lexicons (0020). These are the chunks that it counts twice; in most
-- collections there are none.
create index chunks_counted_twice on concordance.chunks (source_account_id)
  where searchable and translation_language is not null
    and concordance.lexicon(language) <> concordance.lexicon(translation_language);

create index ingest_jobs_failed on concordance.ingest_jobs (source_account_id, updated_at) where state = 'failed';
