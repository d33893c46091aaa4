-- As in 0065, but a large index is looked through more closely. Nothing else of it changes.
select set_config('search_path', concordance.function_path(), true);

-- The nearest `depth` that pass by the space's HNSW index. Space and dimensions are literals: as parameters the index is out of
-- use (3,463 ms against 3.6). A filter leaves fewer rows than a scan returns, so it goes on until there are enough, or until
-- it has met all of them; but it looks less closely then: from the start it keeps twice as many as `share`, of those that pass,
-- demands (recall@10 under a filter that a tenth passes, 150,000 chunks: .965 when it keeps 200). Without a filter 200 are enough
-- for 150,000 chunks (.995), and for a million they aren't (.867; of 1,000 kept .973): one for a thousand vectors.
create or replace function concordance.dense_by_index(space int, nearest_to halfvec, required tsquery, filter jsonpath, depth int,
  share float8)
returns table (chunk_key bigint, document_id text, chunk_id text, similarity float8)
language plpgsql stable rows 100 set search_path from current set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  filtered boolean := required is not null or filter is not null;
  -- Of the index as it was built or last vacuumed; -1 or null where nobody knows.
  vectors float8 := (select c.reltuples from pg_class c
                      where c.oid = to_regclass('concordance.embeddings_space_' || space));
begin
  perform set_config('hnsw.ef_search', least(1000, greatest(200, vectors / 1000, ceil(depth * 2 / share)))::int::text, true),
          set_config('hnsw.iterative_scan', case when filtered or depth > 1000 then 'relaxed_order' else 'off' end, true),
          set_config('hnsw.max_scan_tuples', '2147483647', true),
          set_config('hnsw.scan_mem_multiplier', '100', true);
  return query execute format('
    select f.chunk_key, f.document_id, f.id, 1 - f.distance
      from (select e.chunk_key, c.document_id, c.id, e.embedding::halfvec(%1$s) <=> $1 as distance
              from embeddings e
             cross join lateral (
               select c.document_id, c.id from chunks c where c.source_account_id = $5 and c.key = e.chunk_key%3$s offset 0) c
             where e.space_id = %2$s
             order by e.embedding::halfvec(%1$s) <=> $1 limit $2) f
     order by f.distance, f.document_id, f.id',
    vector_dims(nearest_to), space,
    case when required is not null then ' and c.lexemes @@ $3' else '' end ||
    case when filter is not null then ' and jsonb_path_exists(c.metadata, $4,
      jsonb_build_object(''document_id'', c.document_id, ''kind'', c.kind, ''language'', c.language,
                         ''anomalies'', c.anomalies), true)' else '' end)
    using nearest_to, depth, required, filter, current_tenant();
end $$;
