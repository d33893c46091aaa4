-- A filter may ask for what is odd about a chunk: `$anomalies` is known to its jsonpath beside `$document_id`, `$kind` and
-- `$language`. And a passage says its kind and the kinds of what is odd about it. Nothing else of these functions changes.
select set_config('search_path', concordance.function_path(), true);

create or replace function concordance.lexical_candidates(
  weights sparsevec, matching tsquery, fallback tsquery, required tsquery, filter jsonpath, depth int,
  wanted int default 10, by_document boolean default false)
returns table (chunk_key bigint, document_id text, chunk_id text, score float8)
language plpgsql stable security definer rows 100
set search_path = pg_catalog, concordance, pg_temp set enable_seqscan = off set jit = off as $$
declare
  tenant text := current_tenant();
  attempt tsquery := matching;
  found_keys bigint[];
  found_documents text[];
  found_ids text[];
  found_scores float8[];
begin
  if tenant is null or matching is null then return; end if;
  loop
    select array_agg(c.key), array_agg(c.document_id), array_agg(c.id), array_agg(c.score)
      into found_keys, found_documents, found_ids, found_scores
      from (select c.key, c.document_id, c.id, -(c.bm25 <#> weights) as score
              from chunks c
             where c.source_account_id = tenant
               and c.lexemes @@ attempt
               and (required is null or c.lexemes @@ required)
               and (filter is null or jsonb_path_exists(c.metadata, filter,
                      jsonb_build_object('document_id', c.document_id, 'kind', c.kind, 'language', c.language,
                                         'anomalies', c.anomalies), true))
             order by c.bm25 <#> weights, c.document_id, c.id
             limit depth) c
     -- A lexeme of another lexicon can be spelt alike (university, universidade: univers) and weigh nothing.
     where c.score > 0;
    exit when wanted <= case when by_document then (select count(distinct d) from unnest(found_documents) d)
                             else coalesce(cardinality(found_keys), 0) end;
    if by_document and cardinality(found_keys) >= depth then
      depth := depth * 8;
    elsif fallback is not null then
      attempt := matching || fallback;
      fallback := null;
    else
      exit;
    end if;
  end loop;
  return query select * from unnest(found_keys, found_documents, found_ids, found_scores);
end $$;

create or replace function concordance.dense_candidates(space int, nearest_to halfvec, required tsquery, filter jsonpath, depth int,
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
      jsonb_build_object(''document_id'', c.document_id, ''kind'', c.kind, ''language'', c.language,
                         ''anomalies'', c.anomalies), true)';
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

drop function concordance.search_passages;
create function concordance.search_passages(
  query text, language text, model text, nearest_to halfvec, strategy text, alpha float8, rrf_k int, by_document boolean,
  filter jsonpath, dense_depth int, lexical_depth int, candidate_budget int, wanted int,
  passages int, vectors boolean, parents boolean, highlights boolean)
returns table (key text, document_id text, chunk_id text, similarity float8, dense_rank int, bm25 float8, lexical_rank int,
               shown_id text, title text, content text, chunk_language text, metadata jsonb, regions jsonb, page int,
               matching_words text[], vector text, version text, has_picture boolean, translation jsonb,
               kind text, anomalies text[])
language plpgsql stable rows 100
set search_path from current set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  tenant text := current_tenant();
  space int := comparable_space(nearest_to, model);
begin
  return query
  with ranked as (
    select h.*, coalesce(c.parent_id, h.chunk_id) as shown
      from hybrid_candidates(query, language, space, nearest_to, strategy, alpha, rrf_k, by_document, filter,
             dense_depth, lexical_depth, candidate_budget, wanted) h
      left join lateral (
        select c.parent_id from chunks c where parents and c.source_account_id = tenant and c.key = h.chunk_key offset 0) c on true),
  numbered as (
    select r.*, row_number() over (partition by r.document_id, r.shown order by r.place) as turn from ranked r),
  placed as (select n.*, count(*) filter (where n.turn = 1) over (order by n.place) as shown_place from numbered n)
  select h.chunk_key::text, h.document_id, h.chunk_id, h.similarity, h.dense_rank, h.bm25, h.lexical_rank,
         h.shown, c.title, s.content, c.language, c.metadata,
         coalesce(nullif(s.regions, '[]'), c.regions), coalesce(s.first_page, c.first_page),
         case when highlights then matching_words(c.language, s.content, h.terms) end,
         case when vectors and h.place <= passages then (
           select encode(halfvec_send(e.embedding), 'base64') from embeddings e
            where e.source_account_id = tenant and e.chunk_key = h.chunk_key and e.space_id = space) end,
         v.version, coalesce(v.has_image or s.image_key is not null, false),
         case when s.translated_content is not null then
           jsonb_build_object('language', s.translation_language, 'content', s.translated_content) end,
         s.kind::text, array(select distinct a ->> 'kind' from jsonb_array_elements(s.anomalies) a order by 1)
    from placed h
    -- Behind `offset 0` the conditions decide whether a row is looked up, not what becomes of it once it is.
    left join lateral (
      select * from chunks c
       where h.turn = 1 and h.shown_place <= passages and c.source_account_id = tenant and c.key = h.chunk_key offset 0) c on true
    -- What is shown: the parent where there is one and it is asked for.
    left join lateral (
      select * from chunks p
       where parents and p.source_account_id = tenant and p.document_id = c.document_id and p.id = c.parent_id offset 0) p on true
    cross join lateral (
      select coalesce(p.content, c.content) as content, coalesce(p.regions, c.regions) as regions,
             case when p.id is null then c.first_page else p.first_page end as first_page,
             case when p.id is null then c.image_key else p.image_key end as image_key,
             case when p.id is null then c.kind else p.kind end as kind,
             case when p.id is null then c.anomalies else p.anomalies end as anomalies,
             case when p.id is null then c.translated_content else p.translated_content end as translated_content,
             case when p.id is null then c.translation_language else p.translation_language end as translation_language) s
    left join lateral (
      select d.generation::text as version, g.image_key is not null as has_image
        from documents d
        left join pages g on g.source_account_id = tenant and g.document_id = d.id
                         and g.number = coalesce(s.first_page, c.first_page)
       where d.source_account_id = tenant and d.id = c.document_id offset 0) v on true
   order by h.place;
end $$;
