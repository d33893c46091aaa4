-- BM25: from the words of a question to the best chunks. `lexical_query` reads the counts and decides what to look for;
-- `lexical_candidates` looks it up and scores it.
select set_config('search_path', concordance.function_path(), true);

-- Everything a search calls is plpgsql with generic plans, which are kept for the session: planned anew for each question,
-- `lexical_query` takes 2.9 ms of CPU instead of 0.8. (A function in SQL is planned anew by every query that calls it.)

-- A phrase as a tsquery: its lexemes at the distances they stand in the text. Null when it holds stop words alone.
create function concordance.phrase_query(lexicon text, phrase text) returns tsquery
language plpgsql immutable strict parallel safe set search_path from current as $$
begin
  return (
    select string_agg(case when step is null then '' else '<' || step || '>' end || quote_lexeme(lexeme), ' ' order by position, lexeme)::tsquery
      from (select lexeme, position, position - lag(position) over (order by position, lexeme) as step
              from unnest(lexemes(lexicon, phrase)) t, unnest(t.positions) position) placed);
end $$;

-- The parts of a question: `"a phrase"` must stand so, `-word` and `-"a phrase"` must not stand, and `words` is what is
-- left to score by (the words of the phrases among it). Any text at all is a question; nothing in it is an error. White
-- space is what it is in JavaScript, whose `queryText` reads the same syntax: `\s` would depend on the database's locale.
create function concordance.parse_query(query text, out words text, out phrases text[], out excluded text[])
language plpgsql immutable parallel safe set search_path from current as $$
begin
  words := regexp_replace(query, '[\t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]', ' ', 'g');
  phrases := '{}';
  excluded := '{}';
  if query ~ '["-]' then
    excluded := array(select translate(m[2], '"', ' ') from regexp_matches(words, '(^| )-("[^"]*"|[^ "]+)', 'g') m);
    words := regexp_replace(words, '(^| )-("[^"]*"|[^ "]+)', ' ', 'g');
    phrases := array(select m[1] from regexp_matches(words, '"([^"]*)"', 'g') m);
    words := translate(words, '"', ' ');
  end if;
end $$;

-- What every hit must hold: each phrase, as the lexemes of any of the lexicons, and nothing excluded. A phrase that is
-- stop words alone in the question's own language asks for nothing; where that isn't known, in either of the two. Null
-- when everything is allowed.
create function concordance.required_lexemes(phrases text[], excluded text[], lexicons text[], spoken text) returns tsquery
language plpgsql immutable parallel safe set search_path from current as $$
begin
  if cardinality(phrases) + cardinality(excluded) = 0 then return null; end if;
  return (
  select string_agg(format('%s(%s)', sign, alternatives), ' & ')::tsquery
    from (select sign, string_agg(format('(%s)', as_query), ' | ') as alternatives
            from (select '' as sign, item from unnest(phrases) item union all select '!', item from unnest(excluded) item) part,
                 unnest(lexicons) lexicon, phrase_query(lexicon, item) as_query
           where as_query is not null
             and phrase_query(coalesce(spoken, 'en'), item) is not null
             and phrase_query(coalesce(spoken, 'pt'), item) is not null
           group by sign, item) parts);
end $$;

-- Other ways to write a Portuguese word that stem to something else: with the accents that its ending would have, for
-- whoever types without (informacao, informação), and in the other number where Snowball keeps the two apart
-- (correção and correções, possível and possíveis, jardim and jardins, maré and marés). Lower case, as text search has it.
create function concordance.portuguese_forms(word text) returns setof text
language plpgsql immutable strict parallel safe rows 2 set search_path from current as $$
begin
  return query
    select regexp_replace(word, ending, form)
      from (values ('ao$', 'ão'), ('ao$', 'ões'), ('oes$', 'ões'), ('oes$', 'ão'), ('ão$', 'ões'), ('ões$', 'ão'),
                   ('aes$', 'ães'), ('aos$', 'ãos'), ('enci(as?)$', 'ênci\1'), ('anci(as?)$', 'ânci\1'),
                   ('ari([oa]?s?)$', 'ári\1'), ('ori([oa]?s?)$', 'óri\1'),
                   ('avel$', 'ável'), ('avel$', 'áveis'), ('aveis$', 'áveis'), ('aveis$', 'ável'), ('ável$', 'áveis'), ('áveis$', 'ável'),
                   ('ivel$', 'ível'), ('ivel$', 'íveis'), ('iveis$', 'íveis'), ('iveis$', 'ível'), ('ível$', 'íveis'), ('íveis$', 'ível'),
                   ('([aeiou])l$', '\1is'), ('([au])is$', '\1l'), ('m$', 'ns'), ('([aeiou])ns$', '\1m'),
                   ('([áéíóúâêô])s$', '\1'), ('([áéíóúâêô])$', '\1s')) as rule (ending, form)
     where word ~ ending
    -- c becomes ç before ão and ões alone; both are tried, for nothing else tells which it was.
    union
    select regexp_replace(word, ending, form)
      from (values ('cao$', 'ção'), ('cao$', 'ções'), ('coes$', 'ções'), ('coes$', 'ção')) as rule (ending, form)
     where word ~ ending;
end $$;

-- Lexemes of a question in one lexicon, and how often each stands in it.
create function concordance.query_lexemes(lexicon text, words text) returns table (lexeme text, times int)
language plpgsql immutable strict parallel safe rows 10 set search_path from current as $$
declare
  written tsvector := lexemes(lexicon, words);
begin
  return query select t.lexeme, cardinality(t.positions) from unnest(written) t;
  if lexicon = 'pt' then
    return query
      select distinct other.lexeme, 1
        from regexp_split_to_table(lower(words), '[^[:alnum:]]+') word, portuguese_forms(word) form, unnest(lexemes('pt', form)) other
       where other.lexeme <> all (tsvector_to_array(written));
  end if;
end $$;

-- How to look a question up among the chunks of the tenant.
--   weights   IDF times count in the question of every lexeme that the tenant has: minus its inner product with a
--             chunk's `bm25` is the chunk's score
--   matching  which chunks are worth scoring: those with one of the rarest lexemes, as many as fit in half the budget, or with
--             a pair of the others, as many as are expected to fit in all of it (the index intersects without a heap
--             visit). Looking a chunk up and scoring it takes 3 to 6 µs.
--   fallback  more of them, for when too few match: those with the rarest lexeme that is over the budget
--   required  what a hit must hold, whichever list finds it
--   terms     lexemes by lexicon, to mark them in a hit
-- All null for a question with no lexeme that the tenant has.
create function concordance.lexical_query(query text, language text default null, candidate_budget int default 4000,
  out weights sparsevec, out matching tsquery, out fallback tsquery, out required tsquery, out terms jsonb)
language plpgsql stable set search_path from current set plan_cache_mode = force_generic_plan as $$
declare
  tenant text := current_tenant();
  parsed record := parse_query(query);
  spoken text := case when language is not null then lexicon(language) end;
  lexicons text[];
  totals bigint[];
  stop_words record;
begin
  select array_agg(t.lexicon), array_agg(t.total) into lexicons, totals
    from (select l.lexicon, ((select coalesce(sum(c.chunks), 0) from lexeme_counts c
                               where c.source_account_id = tenant and c.lexicon = l.lexicon and c.lexeme = '')
                           + (select coalesce(sum(c.chunks), 0) from lexeme_count_deltas c
                               where c.source_account_id = tenant and c.lexicon = l.lexicon and c.lexeme = ''))::bigint as total
            from (values ('en'), ('pt'), ('simple')) l (lexicon) offset 0) t
   where t.total > 0;
  if lexicons is null then return; end if;

  -- The question's language is the one with more of its stop words in it. They are dropped from every lexicon's parse:
  -- `the` would be a rare and telling word among Portuguese chunks.
  select case when sum(en::int) > sum(pt::int) then 'en' when sum(pt::int) > sum(en::int) then 'pt' end as spoken,
         string_agg(word, ' ' order by place) filter (where not en) as without_en,
         string_agg(word, ' ' order by place) filter (where not pt) as without_pt,
         string_agg(word, ' ' order by place) filter (where not en and not pt) as without_both
    into stop_words
    from (select word, place, coalesce(ts_lexize('pg_catalog.english_stem', bare) = '{}', false) as en,
                 coalesce(ts_lexize('pg_catalog.portuguese_stem', bare) = '{}', false) as pt
            from (select word, place, lower(btrim(word, '.,;:!?()[]{}''…«»“”‘’¿¡')) as bare
                    from regexp_split_to_table(parsed.words, ' +') with ordinality w (word, place)) w) flagged;
  spoken := coalesce(spoken, stop_words.spoken);
  required := required_lexemes(parsed.phrases, parsed.excluded, lexicons, spoken);

  with asked as materialized (
    select l.lexicon, l.total, q.lexeme, q.times
      from unnest(lexicons, totals) l (lexicon, total),
           query_lexemes(l.lexicon, case spoken when 'en' then stop_words.without_en when 'pt' then stop_words.without_pt
                                                when 'simple' then parsed.words else stop_words.without_both end) q),
  counted as materialized (
    select a.*, ((select coalesce(sum(c.chunks), 0) from lexeme_counts c
                   where c.source_account_id = tenant and c.lexicon = a.lexicon and c.lexeme = a.lexeme)
               + (select coalesce(sum(c.chunks), 0) from lexeme_count_deltas c
                   where c.source_account_id = tenant and c.lexicon = a.lexicon and c.lexeme = a.lexeme))::float8 as frequency
      from asked a),
  ranked as materialized (
    select c.lexicon, c.lexeme, c.total, c.frequency, quote_lexeme(c.lexeme) as quoted,
           c.times * ln(1 + (c.total - c.frequency + 0.5) / (c.frequency + 0.5)) as weight,
           row_number() over rarest as place, sum(c.frequency) over rarest as running
      from counted c where c.frequency > 0
    window rarest as (order by c.frequency, c.lexeme, c.lexicon)),
  frequent as (select *, row_number() over (order by place) as turn from ranked where running > candidate_budget / 2),
  rare as (select string_agg(quoted, '|') as any_of from ranked where running <= candidate_budget / 2),
  meeting as (
    select format('(%s&%s)', a.quoted, b.quoted) as pair, a.place = 1 and b.place = 2 as rarest,
           sum(a.frequency * b.frequency / a.total) over (order by a.frequency * b.frequency / a.total, a.turn, b.turn) as running
      from frequent a join frequent b on a.lexicon = b.lexicon and a.turn < b.turn and b.turn <= 6),
  pairs as (select string_agg(pair, '|') as any_of from meeting where running <= candidate_budget or rarest),
  next as (select quoted from frequent where turn = 1)
  select (select ('{' || string_agg(dimension || ':' || value, ',' order by dimension) || '}/999999937')::sparsevec
            from (select lexeme_dimension(r.lexicon, r.lexeme) as dimension, sum(r.weight)::real as value
                    from ranked r group by 1 order by 2 desc, 1 limit 16000) w),
         coalesce(rare.any_of || '|' || pairs.any_of, rare.any_of, pairs.any_of, (select quoted from next))::tsquery,
         case when coalesce(rare.any_of, pairs.any_of) is not null then (select quoted from next)::tsquery end,
         (select jsonb_object_agg(t.lexicon, t.lexemes)
            from (select r.lexicon, jsonb_agg(r.lexeme) as lexemes from ranked r group by 1) t)
    into weights, matching, fallback, terms
    from rare, pairs;
end $$;

-- pgvector's operator, in a schema where the owner alone can create: see `function_path`.
create operator concordance.<#> (leftarg = sparsevec, rightarg = sparsevec, function = sparsevec_negative_inner_product);

-- The best `depth` chunks of the tenant for a `lexical_query`. Where fewer than `wanted` match, the fallback is tried; and
-- grouped by document, where a few long documents keep the others out, the list grows until `wanted` of them are in it.
-- `filter` is a jsonpath predicate over a chunk's metadata,
-- to which `$document_id`, `$kind` and `$language` are known.
--
-- SECURITY DEFINER, and the only such function: `@@` is not leakproof, so that under row-level security the index on the
-- lexemes is out of use (at 149,500 chunks 225 ms against 8). Hence the tenant stands in its own WHERE, and
-- `current_tenant()` answers null for whoever may not be that tenant.
create function concordance.lexical_candidates(
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
                      jsonb_build_object('document_id', c.document_id, 'kind', c.kind, 'language', c.language), true))
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

revoke execute on function concordance.lexical_candidates from public;
grant execute on function concordance.lexical_candidates to concordance_app, concordance_reader;
