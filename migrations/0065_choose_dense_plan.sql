-- How the nearest chunks are found is chosen for each question: by keys that a filter's indexed field leaves, by the space's
-- HNSW index, or by comparing every vector. All three give what the exact search gives (recall@10 of .99 and more on
-- `concordance bench dense`), so that only time decides.
select set_config('search_path', concordance.function_path(), true);

-- Comparisons of a filter that every chunk it passes must meet, read from the jsonpath as PostgreSQL prints it: one row a
-- comparison, `clause` by `clause`; of those of one clause one must hold (`in`). What isn't understood gives none, and none of
-- what stands beside it by `||` or under `!`. `path` is that of `filter_fields`, or `$document_id`, whose ends are ids.
create function concordance.filter_clauses(filter jsonpath)
returns table (clause int, path text, low text, high text)
language plpgsql immutable strict parallel safe rows 4 set search_path from current as $$
declare
  body text := substring(filter::text from '^\$\?(\(.*\))$');
  token text[];
  -- Clauses by `;`, comparisons of one by `,`; `?` where nothing is known, and operators and brackets as they are.
  stack text[] := '{}';
  held text;
  top text;
  operator text;
  numbered int := 0;
  paths text[] := '{}';
  lows text[] := '{}';
  highs text[] := '{}';
  low_end text;
  high_end text;
begin
  if body is null then return; end if;
  for token in
    select regexp_matches(body, '(?:@((?:\."(?:[^"\\]|\\.)*")+)|\$("document_id")) (==|<=|<|>=|>) ("(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null)'
                             || '|("(?:[^"\\]|\\.)*"|&&|\|\||[()]|[^"&|()@$]+|[@&|$])', 'g')
  loop
    held := null;
    if token[2] is not null and token[3] = '==' then
      numbered := numbered + 1;
      paths := array_append(paths, '$document_id');
      lows := lows || (token[4]::jsonb #>> '{}');
      highs := highs || (token[4]::jsonb #>> '{}');
      held := numbered::text;
    elsif token[2] is not null then
      held := '?';
    elsif token[1] is not null then
      numbered := numbered + 1;
      low_end := filter_value(token[4]::jsonb);
      high_end := low_end;
      -- A type's values lie between its letter and the next.
      if token[3] in ('<', '<=') then low_end := left(low_end, 1); end if;
      if token[3] in ('>', '>=') then high_end := chr(ascii(high_end) + 1); end if;
      paths := array_append(paths, token[1]);
      lows := lows || low_end;
      highs := highs || high_end;
      held := numbered::text;
    elsif token[5] in ('&&', '||', '(') then
      stack := stack || token[5];
    elsif token[5] = ')' then
      held := coalesce(stack[cardinality(stack)], '?');
      operator := stack[cardinality(stack) - 1];
      if operator in ('&&', '||') then
        top := stack[cardinality(stack) - 2];
        held := case when operator = '&&' then coalesce(nullif(concat_ws(';', nullif(top, '?'), nullif(held, '?')), ''), '?')
                     when (top || held) ~ '[?;]' then '?'
                     else top || ',' || held end;
        stack := trim_array(stack, 2);
      end if;
      if cardinality(stack) < 2 or stack[cardinality(stack) - 1] <> '(' then return; end if;
      stack := trim_array(stack, 2);
    elsif btrim(token[5]) <> '' then
      held := '?';
    end if;
    if held is not null then
      -- Two that no operator parts are one of which nothing is known: `!(…)`, `exists (…)`, `@."a" + 1`.
      if stack[cardinality(stack)] in ('&&', '||', '(') or cardinality(stack) = 0 then stack := stack || held;
      else stack[cardinality(stack)] := '?';
      end if;
    end if;
  end loop;
  if cardinality(stack) <> 1 or stack[1] = '?' then return; end if;
  return query
    select c.place::int, paths[m.number::int], lows[m.number::int], highs[m.number::int]
      from string_to_table(stack[1], ';') with ordinality c (members, place), string_to_table(c.members, ',') m (number);
end $$;

-- Keys of the tenant's chunks that hold a phrase, `most` of them at the most. SECURITY DEFINER for the same reason as
-- `lexical_candidates`: under row-level security the index on the lexemes is out of use.
create function concordance.matching_keys(required tsquery, most int) returns bigint[]
language plpgsql stable security definer
set search_path = pg_catalog, concordance, pg_temp set enable_seqscan = off set jit = off as $$
declare
  tenant text := current_tenant();
begin
  if tenant is null then return null; end if;
  return array(select c.key from chunks c where c.source_account_id = tenant and c.lexemes @@ required limit most);
end $$;
revoke execute on function concordance.matching_keys from public;
grant execute on function concordance.matching_keys to concordance_app, concordance_reader;

-- Which share of a space's chunks passes filter and phrases, by about `samples` of them from all over it: the same ones each
-- time, so that a question gets the same plan twice. They are drawn by their keys, and each counts once: behind a gap, where
-- other tenants' keys lie, one chunk is drawn again and again. Of none that passes half a chunk is counted.
create function concordance.passing_share(space int, required tsquery, filter jsonpath, samples int) returns float8
language plpgsql stable set search_path from current set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  tenant text := current_tenant();
  lowest bigint := (select min(e.chunk_key) from embeddings e where e.source_account_id = tenant);
  width float8 := (select max(e.chunk_key) from embeddings e where e.source_account_id = tenant) - lowest;
begin
  return (
    select (count(*) filter (where p.passes) + 0.5) / (count(*) + 1)
      from (select distinct k.chunk_key
              -- Apart: `hashint4` is not leakproof, so that in a condition on the table it would keep the index out of use.
              from (select lowest + floor(width * (hashint4(i) / 4294967296.0::float8 + 0.5))::bigint as key
                      from generate_series(1, samples) i offset 0) wanted
             cross join lateral (
               select e.chunk_key from embeddings e
                where e.source_account_id = tenant and e.space_id = space and e.chunk_key >= wanted.key
                order by e.chunk_key limit 1) k) drawn
     cross join lateral (
       select (required is null or c.lexemes @@ required)
              and (filter is null or jsonb_path_exists(c.metadata, filter,
                     jsonb_build_object('document_id', c.document_id, 'kind', c.kind, 'language', c.language,
                                        'anomalies', c.anomalies), true)) as passes
         from chunks c where c.source_account_id = tenant and c.key = drawn.chunk_key offset 0) p);
end $$;

-- How the nearest `depth` chunks that pass are found with the least work:
--   index   by the HNSW index, which goes on until enough of those that it meets pass
--   keys    by comparing the chunks of `keys`: those that an indexed field (`filter_fields`) or a phrase leaves, if few
--   scan    by comparing every vector, and asking the nearest ones whether they pass until there are enough
-- Prices are in comparisons of a vector by a scan, with everything in memory (`concordance bench dense`, 150,000 chunks). They
-- decide how long it takes, and nothing else: the chunks found are the same, but for what an HNSW index misses.
create function concordance.dense_plan(space int, required tsquery, filter jsonpath, depth int,
  out plan text, out keys bigint[], out share float8)
language plpgsql stable set search_path from current set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  per_distance constant float8 := 1;
  per_key constant float8 := 4;
  per_visit constant float8 := 14;
  per_check constant float8 := 5;
  tenant text := current_tenant();
  indexed boolean := (select s.indexed from embedding_spaces s where s.id = space);
  total float8;
  by_index float8;
  by_scan float8;
  most int;
  found bigint[];
  clause record;
begin
  share := 1;
  plan := case when indexed then 'index' else 'scan' end;
  if required is null and filter is null then return; end if;
  total := greatest(1, (
    select coalesce(sum(n), 0)
      from (values ('en'), ('pt'), ('simple')) l (lexicon)
     cross join lateral (
       select (select coalesce(sum(c.chunks), 0) from lexeme_counts c
                where c.source_account_id = tenant and c.lexicon = l.lexicon and c.lexeme = '')
            + (select coalesce(sum(d.chunks), 0) from lexeme_count_deltas d
                where d.source_account_id = tenant and d.lexicon = l.lexicon and d.lexeme = '') as n) t));
  -- A few tell a weak filter, which costs little and must not be weighed for longer than that.
  share := passing_share(space, required, filter, 64);
  for attempt in 1..2 loop
    by_index := case when indexed then least(total, depth / share) * (per_visit + per_check) else 'infinity' end;
    by_scan := total * per_distance + least(total, depth / share) * per_check;
    exit when attempt = 2 or share > 0.2;
    -- Reading a key takes a twentieth of comparing its chunk: more are never read than are worth comparing.
    most := least(by_index, by_scan) / per_key;
    for clause in
      select c.path, f.id as field_id, array_agg(c.low) as lows, array_agg(c.high) as highs
        from filter_clauses(filter) c
        left join filter_fields f on f.source_account_id = tenant and f.path = c.path
       group by c.clause, c.path, f.id
      having count(*) = (select count(*) from filter_clauses(filter) o where o.clause = c.clause)
    loop
      found := null;
      if clause.path = '$document_id' then
        found := array(
          select c.key from unnest(clause.lows) d (id), chunks c
           where c.source_account_id = tenant and c.document_id = d.id limit most + 1);
      elsif clause.field_id is not null then
        found := array(
          select v.chunk_key from unnest(clause.lows, clause.highs) r (low, high), filter_values v
           where v.source_account_id = tenant and v.field_id = clause.field_id and v.value between r.low and r.high
           limit most + 1);
      end if;
      if cardinality(found) <= most then
        keys := found;
        most := cardinality(found);
      end if;
    end loop;
    if required is not null and querytree(required) not in ('', 'T') then
      found := matching_keys(required, most + 1);
      if cardinality(found) <= most then keys := found; end if;
    end if;
    if keys is not null then
      plan := 'keys';
      return;
    end if;
    share := passing_share(space, required, filter, 512);
  end loop;
  plan := case when by_scan < by_index then 'scan' else 'index' end;
end $$;

-- The nearest `depth` of these keys that pass.
create function concordance.dense_by_keys(space int, nearest_to halfvec, keys bigint[], required tsquery, filter jsonpath, depth int)
returns table (chunk_key bigint, document_id text, chunk_id text, similarity float8)
language plpgsql stable rows 100 set search_path from current set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  tenant text := current_tenant();
begin
  return query
  select f.chunk_key, f.document_id, f.id, 1 - f.distance
    from (select n.chunk_key, c.document_id, c.id, n.distance
            from (select e.chunk_key, e.embedding <=> nearest_to as distance
                    from (select distinct k from unnest(keys) k order by k) given (chunk_key)
                    join embeddings e on e.source_account_id = tenant and e.chunk_key = given.chunk_key and e.space_id = space
                   order by distance, e.chunk_key) n
           cross join lateral (
             select c.document_id, c.id from chunks c
              where c.source_account_id = tenant and c.key = n.chunk_key
                and (required is null or c.lexemes @@ required)
                and (filter is null or jsonb_path_exists(c.metadata, filter,
                       jsonb_build_object('document_id', c.document_id, 'kind', c.kind, 'language', c.language,
                                          'anomalies', c.anomalies), true)) offset 0) c
           limit depth) f
   order by f.distance, f.document_id, f.id;
end $$;

-- The nearest `depth` of all vectors that pass; among the nearest `reach` first, for which no more than these are sorted.
create function concordance.dense_by_scan(space int, nearest_to halfvec, required tsquery, filter jsonpath, depth int, reach int)
returns table (chunk_key bigint, document_id text, chunk_id text, similarity float8)
language plpgsql stable rows 100 set search_path from current set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  tenant text := current_tenant();
  found_keys bigint[];
  found_documents text[];
  found_ids text[];
  found_similarities float8[];
begin
  loop
    select array_agg(f.chunk_key order by f.distance, f.document_id, f.id), array_agg(f.document_id order by f.distance, f.document_id, f.id),
           array_agg(f.id order by f.distance, f.document_id, f.id), array_agg(1 - f.distance order by f.distance, f.document_id, f.id)
      into found_keys, found_documents, found_ids, found_similarities
      from (select n.chunk_key, c.document_id, c.id, n.distance
              from (select e.chunk_key, e.embedding <=> nearest_to as distance from embeddings e
                     where e.source_account_id = tenant and e.space_id = space
                     order by distance, e.chunk_key limit reach) n
             cross join lateral (
               select c.document_id, c.id from chunks c
                where c.source_account_id = tenant and c.key = n.chunk_key
                  and (required is null or c.lexemes @@ required)
                  and (filter is null or jsonb_path_exists(c.metadata, filter,
                         jsonb_build_object('document_id', c.document_id, 'kind', c.kind, 'language', c.language,
                                            'anomalies', c.anomalies), true)) offset 0) c
             limit depth) f;
    exit when reach is null or (required is null and filter is null) or cardinality(found_keys) >= depth;
    reach := null;
  end loop;
  return query select * from unnest(found_keys, found_documents, found_ids, found_similarities);
end $$;

-- The nearest `depth` that pass by the space's HNSW index. Space and dimensions are literals: as parameters the index is out of
-- use (3,463 ms against 3.6). A filter leaves fewer rows than a scan returns, so it goes on until there are enough, or until
-- it has met all of them; but it looks less closely then: from the start it keeps twice as many as `share`, of those that pass,
-- demands (recall@10 under a filter that a tenth passes, 150,000 chunks: .965 when it keeps 200). Without a filter 200 are enough
-- for 150,000 chunks (.995), and for a million they aren't (.867; of 1,000 kept .973): one for a thousand vectors.
create function concordance.dense_by_index(space int, nearest_to halfvec, required tsquery, filter jsonpath, depth int,
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

-- The nearest `depth` chunks of a space that pass; grouped by document, where a few long documents keep the others out, the
-- list grows until `wanted` of them are in it.
create or replace function concordance.dense_candidates(space int, nearest_to halfvec, required tsquery, filter jsonpath, depth int,
  wanted int default 10, by_document boolean default false)
returns table (chunk_key bigint, document_id text, chunk_id text, similarity float8)
language plpgsql stable rows 100 set search_path from current set plan_cache_mode = force_generic_plan as $$
declare
  chosen record;
  found_keys bigint[];
  found_documents text[];
  found_ids text[];
  found_similarities float8[];
begin
  if not exists (select from embedding_spaces s where s.id = space) then return; end if;
  loop
    chosen := dense_plan(space, required, filter, depth);
    case chosen.plan
      when 'keys' then
        select array_agg(d.chunk_key), array_agg(d.document_id), array_agg(d.chunk_id), array_agg(d.similarity)
          into found_keys, found_documents, found_ids, found_similarities
          from dense_by_keys(space, nearest_to, chosen.keys, required, filter, depth) d;
      when 'scan' then
        select array_agg(d.chunk_key), array_agg(d.document_id), array_agg(d.chunk_id), array_agg(d.similarity)
          into found_keys, found_documents, found_ids, found_similarities
          from dense_by_scan(space, nearest_to, required, filter, depth,
                 least(2147483647, case when chosen.share < 1 then 100 + 1.5 * depth / chosen.share else depth end)::int) d;
      else
        select array_agg(d.chunk_key), array_agg(d.document_id), array_agg(d.chunk_id), array_agg(d.similarity)
          into found_keys, found_documents, found_ids, found_similarities
          from dense_by_index(space, nearest_to, required, filter, depth, chosen.share) d;
    end case;
    exit when not by_document or coalesce(cardinality(found_keys), 0) < depth
           or (select count(distinct d) from unnest(found_documents) d) >= wanted;
    depth := depth * 8;
  end loop;
  return query select * from unnest(found_keys, found_documents, found_ids, found_similarities);
end $$;
