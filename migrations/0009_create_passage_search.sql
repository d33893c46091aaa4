-- The candidates of a search as the service asks for them, with the passages of the best: one call, whose plan is kept.
-- As a statement of its own it was planned for every search and hashed whole tables (PGlite, 1,780 chunks: 83 ms of CPU
-- against 35).
select set_config('search_path', concordance.function_path(), true);

-- `model` or the dimensions of `nearest_to` name the space. The passages of the first `passages` places come along; where
-- asked for with their vectors, with the words to highlight (.3 ms of CPU a passage), and with the parent's text in place
-- of the chunk's: children of one parent share a place, and the passage stands with the first of them.
create function concordance.search_passages(
  query text, language text, model text, nearest_to halfvec, strategy text, alpha float8, rrf_k int, by_document boolean,
  filter jsonpath, dense_depth int, lexical_depth int, candidate_budget int, wanted int,
  passages int, vectors boolean, parents boolean, highlights boolean)
returns table (key text, document_id text, chunk_id text, similarity float8, dense_rank int, bm25 float8, lexical_rank int,
               shown_id text, title text, content text, chunk_language text, metadata jsonb, regions jsonb, page int,
               matching_words text[], vector text)
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
         h.shown, c.title, coalesce(p.content, c.content), c.language, c.metadata,
         coalesce(nullif(p.regions, '[]'), c.regions), coalesce(p.first_page, c.first_page),
         case when highlights then matching_words(c.language, coalesce(p.content, c.content), h.terms) end,
         case when vectors and h.place <= passages then (
           select encode(halfvec_send(e.embedding), 'base64') from embeddings e
            where e.source_account_id = tenant and e.chunk_key = h.chunk_key and e.space_id = space) end
    from placed h
    -- Behind `offset 0` the conditions decide whether a row is looked up, not what becomes of it once it is.
    left join lateral (
      select * from chunks c
       where h.turn = 1 and h.shown_place <= passages and c.source_account_id = tenant and c.key = h.chunk_key offset 0) c on true
    left join lateral (
      select * from chunks p
       where parents and p.source_account_id = tenant and p.document_id = c.document_id and p.id = c.parent_id offset 0) p on true
   order by h.place;
end $$;
