-- Both lists in one call: by meaning, by words, and every score that fusion asks for.
select set_config('search_path', concordance.function_path(), true);

-- The nearest `depth` chunks of a space; grouped by document, where a few long documents keep the others out, the list grows
-- until `wanted` of them are in it. A space without an index is scanned exactly, which for up to 50,000 chunks is as fast
-- as HNSW and misses nothing; its plan is kept. With an index the space's id and its dimensions are literals: as parameters
-- of a generic plan it is out of use (3,463 ms against 3.6). `hnsw.ef_search` is how many rows an HNSW scan can return.
create function concordance.dense_candidates(space int, nearest_to halfvec, required tsquery, filter jsonpath, depth int,
  wanted int default 10, by_document boolean default false)
returns table (chunk_key bigint, document_id text, chunk_id text, similarity float8)
language plpgsql stable rows 100 set search_path from current
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant text := current_tenant();
  indexed boolean := (select s.indexed from embedding_spaces s where s.id = space);
  condition text := '';
  vectors text;
  found_keys bigint[];
  found_documents text[];
  found_ids text[];
  found_similarities float8[];
begin
  if indexed is null then return; end if;
  if required is not null then condition := condition || ' and c.lexemes @@ $3'; end if;
  if filter is not null then
    condition := condition || ' and jsonb_path_exists(c.metadata, $4,
      jsonb_build_object(''document_id'', c.document_id, ''kind'', c.kind, ''language'', c.language), true)';
  end if;
  if indexed then
    vectors := format('select chunk_key, embedding::halfvec(%s) <=> $1 as distance from embeddings where space_id = %s',
      vector_dims(nearest_to), space);
  else
    vectors := format('select chunk_key, embedding <=> $1 as distance from embeddings where space_id = %s', space);
  end if;
  loop
    if indexed then
      perform set_config('hnsw.ef_search', least(1000, greatest(100, depth))::text, true);
      -- A filter leaves fewer rows than the scan returns, so the scan goes on until there are enough.
      perform set_config('hnsw.iterative_scan', case when condition = '' and depth <= 1000 then 'off' else 'strict_order' end, true);
    end if;
    if condition = '' and not indexed then
      select array_agg(f.chunk_key), array_agg(f.document_id), array_agg(f.id), array_agg(1 - f.distance)
        into found_keys, found_documents, found_ids, found_similarities
        from (select n.chunk_key, c.document_id, c.id, n.distance
                from (select e.chunk_key, e.embedding <=> nearest_to as distance from embeddings e
                       where e.source_account_id = tenant and e.space_id = space
                       order by distance, e.chunk_key limit depth) n
               cross join lateral (
                 select c.document_id, c.id from chunks c where c.source_account_id = tenant and c.key = n.chunk_key offset 0) c
               order by n.distance, c.document_id, c.id) f;
    else
      execute format(case
        when condition = '' then
          'select array_agg(f.chunk_key), array_agg(f.document_id), array_agg(f.id), array_agg(1 - f.distance)
             from (select n.chunk_key, c.document_id, c.id, n.distance
                     from (%1$s order by distance limit $2) n
                     join chunks c on c.source_account_id = $5 and c.key = n.chunk_key
                    order by n.distance, c.document_id, c.id) f'
        else
          'select array_agg(f.chunk_key), array_agg(f.document_id), array_agg(f.id), array_agg(1 - f.distance)
             from (select n.chunk_key, c.document_id, c.id, n.distance
                     from (%1$s) n join chunks c on c.source_account_id = $5 and c.key = n.chunk_key
                    where true%2$s
                    order by n.distance%3$s limit $2) f' end,
        vectors, condition, case when indexed then '' else ', c.document_id, c.id' end)
        into found_keys, found_documents, found_ids, found_similarities
        using nearest_to, depth, required, filter, tenant;
    end if;
    exit when not by_document or coalesce(cardinality(found_keys), 0) < depth
           or (select count(distinct d) from unnest(found_documents) d) >= wanted;
    depth := depth * 8;
  end loop;
  return query select * from unnest(found_keys, found_documents, found_ids, found_similarities);
end $$;

-- The candidates of both lists with ranks and scores, and the place that `strategy` gives each. Fusion itself is the
-- caller's (`lib/search/fuse.ts`): `place` only says whose content is worth sending along, and orders the direct search.
--   rrf        1 / (rrf_k + rank), summed over the lists
--   weighted   alpha for meaning, the rest for words: both exact scores of every candidate, min-max over all of them
--   semantic, lexical   one list alone
--   two_pass   words choose, meaning orders
-- Grouped by document, each list keeps a document's best chunk before ranks are given. Either way it holds `wanted`, the
-- hits of a first page, if there are as many.
-- Some hundred rows are looked up by key: plans that read a table to hash it are ruled out, since a generic plan outlives
-- the size the table had when it was made. (The full join has no other plan and costs what is ruled out: without
-- `jit = off` that alone would compile it, for 4 s.)
create function concordance.hybrid_candidates(
  query text, language text, space int, nearest_to halfvec, strategy text, alpha float8, rrf_k int, by_document boolean,
  filter jsonpath, dense_depth int, lexical_depth int, candidate_budget int, wanted int default 10)
returns table (place int, chunk_key bigint, document_id text, chunk_id text, score float8,
               similarity float8, dense_rank int, bm25 float8, lexical_rank int, terms jsonb)
language plpgsql stable rows 100
set search_path from current set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  tenant text := current_tenant();
  asked record := lexical_query(query, language, candidate_budget);
  both_scores boolean := strategy in ('weighted', 'two_pass');
begin
  -- With nothing to compare the question's vector with, words alone rank.
  if space is null and strategy <> 'rrf' then
    strategy := 'lexical';
    both_scores := false;
  end if;
  return query
  with found_by_meaning as materialized (
    select f.*, case when by_document then f.document_id else f.chunk_key::text end as unit
      from dense_candidates(space, nearest_to, asked.required, filter, dense_depth, wanted, by_document)
           with ordinality f (chunk_key, document_id, chunk_id, score, place)
     where strategy not in ('lexical', 'two_pass') and nearest_to is not null),
  found_by_words as materialized (
    select f.*, case when by_document then f.document_id else f.chunk_key::text end as unit
      from lexical_candidates(asked.weights, asked.matching, asked.fallback, asked.required, filter, lexical_depth, wanted, by_document)
           with ordinality f (chunk_key, document_id, chunk_id, score, place)
     where strategy <> 'semantic'),
  dense as (
    select b.*, row_number() over (order by b.place)::int as rank
      from (select distinct on (f.unit) f.* from found_by_meaning f order by f.unit, f.place) b
     order by b.place limit dense_depth),
  lexical as (
    select b.*, row_number() over (order by b.place)::int as rank
      from (select distinct on (f.unit) f.* from found_by_words f order by f.unit, f.place) b
     order by b.place limit lexical_depth),
  -- Where the lists bring different chunks of a document, the one that ranks higher stands for it.
  merged as materialized (
    select case when d.rank <= coalesce(l.rank, d.rank) then d.chunk_key else l.chunk_key end as chunk_key,
           coalesce(d.document_id, l.document_id) as document_id,
           case when d.rank <= coalesce(l.rank, d.rank) then d.chunk_id else l.chunk_id end as chunk_id,
           d.score as similarity, d.rank as dense_rank, l.score as bm25, l.rank as lexical_rank
      from dense d full join lexical l on l.unit = d.unit),
  scored as (
    select m.chunk_key, m.document_id, m.chunk_id, m.dense_rank, m.lexical_rank,
           coalesce(m.similarity, case when both_scores then (
             select 1 - (e.embedding <=> nearest_to) from embeddings e
              where e.source_account_id = tenant and e.chunk_key = m.chunk_key and e.space_id = space) end) as similarity,
           coalesce(m.bm25, case when both_scores then (
             select -(c.bm25 <#> asked.weights) from chunks c where c.source_account_id = tenant and c.key = m.chunk_key) end) as bm25
      from merged m),
  ranged as (
    select s.*, min(s.similarity) over () as sim_min, max(s.similarity) over () as sim_max,
           min(s.bm25) over () as bm25_min, max(s.bm25) over () as bm25_max
      from scored s),
  fused as (
    select r.*, case strategy
        when 'rrf' then coalesce(1.0::float8 / (rrf_k + r.dense_rank), 0) + coalesce(1.0::float8 / (rrf_k + r.lexical_rank), 0)
        when 'weighted' then alpha * scaled(r.similarity, r.sim_min, r.sim_max) + (1 - alpha) * scaled(r.bm25, r.bm25_min, r.bm25_max)
        when 'lexical' then r.bm25
        else coalesce(r.similarity, -1) end as score
      from ranged r)
  select row_number() over (order by f.score desc, f.document_id, f.chunk_id)::int, f.chunk_key, f.document_id, f.chunk_id, f.score,
         f.similarity, f.dense_rank, f.bm25, f.lexical_rank, asked.terms
    from fused f
   order by 1;
end $$;

-- A score as its place between the least and the greatest: 0 to 1; 1 where all are alike, 0 where there is none.
create function concordance.scaled(score float8, lowest float8, highest float8) returns float8
language sql immutable parallel safe as $$
  select case when score is null then 0::float8 when highest > lowest then (score - lowest) / (highest - lowest) else 1::float8 end
$$;

-- Words of a text whose lexeme is among those of the question (`terms` of `lexical_query`), as they are written there.
-- No stemmer touches a word's first letter, so only words that begin like a lexeme are stemmed: a third of the time.
create function concordance.matching_words(language text, content text, terms jsonb) returns text[]
language plpgsql immutable strict parallel safe set search_path from current as $$
declare
  lexicon text := lexicon(language);
  lexemes text[] := array(select jsonb_array_elements_text(terms -> lexicon));
  initials text[] := array(select distinct left(l, 1) from unnest(lexemes) l);
begin
  if cardinality(lexemes) = 0 then return '{}'; end if;
  return array(
    select token
      from (select distinct token from ts_parse('default', content)
             where tokid <> 12 and (left(lower(token), 1) = any (initials) or octet_length(token) > length(token))) word
     where case lexicon
             when 'en' then coalesce((ts_lexize('pg_catalog.english_stem', unaccent(token)))[1], '')
             when 'pt' then unaccent(coalesce((ts_lexize('pg_catalog.portuguese_stem', token))[1], ''))
             else lower(unaccent(token)) end
           = any (lexemes));
end $$;

-- The space that a vector can be compared in: that of `model`, or without one whichever has its dimensions, vectors that
-- callers brought first. Null when there is none.
create function concordance.comparable_space(nearest_to halfvec, model text) returns int
language plpgsql stable set search_path from current as $$
begin
  return (
    select s.id from embedding_spaces s
     where s.state = 'active' and s.dimensions = vector_dims(nearest_to)
       and (comparable_space.model is null or s.model = comparable_space.model)
     order by s.model like 'caller:%' desc, s.id limit 1);
end $$;

-- The hybrid search for whoever queries the database directly: best chunks first.
create function concordance.hybrid_search_chunks(
  query text, nearest_to halfvec default null, top_k int default 10, strategy text default 'weighted', alpha float8 default 0.5,
  rrf_k int default 60, filter jsonpath default null, language text default null, model text default null)
returns table (document_id text, chunk_id text, title text, content text, score float8, similarity float8, text_rank float8)
language plpgsql stable rows 10 set search_path from current as $$
declare
  space int := comparable_space(nearest_to, model);
begin
  return query
  select c.document_id, c.id, c.title, c.content, h.score, h.similarity, h.bm25
    from hybrid_candidates(query, language, space, nearest_to, strategy, alpha, rrf_k, false, filter, 100, 100, 4000, top_k) h
    join chunks c on c.source_account_id = current_tenant() and c.key = h.chunk_key
   where h.place <= top_k
   order by h.place;
end $$;
