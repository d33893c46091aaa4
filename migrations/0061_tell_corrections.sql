-- A search says which words of the question it took for misspelt (0060): with the best candidate, as `corrections`. Nothing else of
-- the function changes.
select set_config('search_path', concordance.function_path(), true);

drop function concordance.search_passages;
create function concordance.search_passages(
  query text, language text, model text, nearest_to halfvec, strategy text, alpha float8, rrf_k int, by_document boolean,
  filter jsonpath, dense_depth int, lexical_depth int, candidate_budget int, wanted int,
  passages int, vectors boolean, parents boolean, highlights boolean)
returns table (key text, document_id text, chunk_id text, similarity float8, dense_rank int, bm25 float8, lexical_rank int,
               shown_id text, title text, content text, chunk_language text, metadata jsonb, regions jsonb, page int,
               matching_words text[], vector text, version text, has_picture boolean, translation jsonb,
               kind text, anomalies text[], corrections jsonb)
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
         s.kind::text, array(select distinct a ->> 'kind' from jsonb_array_elements(s.anomalies) a order by 1),
         case when h.place = 1 and strategy <> 'semantic' then h.terms -> 'corrections' end
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
