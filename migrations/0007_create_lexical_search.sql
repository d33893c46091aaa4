-- BM25: from the words of a question to the best chunks. `lexical_query` reads the counts and decides what to look for;
-- `lexical_candidates` looks it up and scores it.
select set_config('search_path', concordance.function_path(), true);

-- Whether the words of a text are stop words of a lexicon.
create function concordance.is_stop_word(lexicon text, word text) returns boolean
language sql immutable strict parallel safe set search_path from current as $$
  select case lexicon when 'en' then ts_lexize('pg_catalog.english_stem', lower(word)) = '{}'
                      when 'pt' then ts_lexize('pg_catalog.portuguese_stem', lower(word)) = '{}'
                      else false end
$$;

-- A phrase as a tsquery: its lexemes at the distances they stand in the text. Null when it holds stop words alone.
create function concordance.phrase_query(lexicon text, phrase text) returns tsquery
language sql immutable strict parallel safe set search_path from current as $$
  select string_agg(case when step is null then '' else '<' || step || '>' end || quote_lexeme(lexeme), ' ' order by position, lexeme)::tsquery
    from (select lexeme, position, position - lag(position) over (order by position, lexeme) as step
            from unnest(lexemes(lexicon, phrase)) t, unnest(t.positions) position) placed
$$;

-- The parts of a question: `"a phrase"` must stand so, `-word` and `-"a phrase"` must not stand, and `words` is what is
-- left to score by (the words of the phrases among it). Any text at all is a question; nothing in it is an error.
create function concordance.parse_query(query text, out words text, out phrases text[], out excluded text[])
language sql immutable parallel safe set search_path from current as $$
  select translate(regexp_replace(query, '(^|\s)-("[^"]*"|[^\s"]+)', ' ', 'g'), '"', ' '),
         array(select m[1] from regexp_matches(regexp_replace(query, '(^|\s)-("[^"]*"|[^\s"]+)', ' ', 'g'), '"([^"]*)"', 'g') m),
         array(select translate(m[2], '"', ' ') from regexp_matches(query, '(^|\s)-("[^"]*"|[^\s"]+)', 'g') m)
$$;


-- What every hit must hold: each phrase, as the lexemes of any of the lexicons, and nothing excluded. A phrase that is
-- stop words alone in the question's own language asks for nothing. Null when everything is allowed.
create function concordance.required_lexemes(phrases text[], excluded text[], lexicons text[], spoken text) returns tsquery
language sql immutable parallel safe set search_path from current as $$
  select string_agg(format('%s(%s)', sign, alternatives), ' & ')::tsquery
    from (select sign, string_agg(format('(%s)', phrase_query(lexicon, item)), ' | ') as alternatives
            from (select '' as sign, item from unnest(phrases) item union all select '!', item from unnest(excluded) item) part,
                 unnest(lexicons) lexicon
           where spoken is null or phrase_query(spoken, item) is not null
           group by sign, item) parts
   where alternatives is not null
$$;

-- Portuguese written without its accents stems to something else than with them (informacao, informação), so a word
-- without any is also looked for with the accents that its ending would have. Null for a word with no such ending.
create function concordance.accented_ending(word text) returns text
language sql immutable strict parallel safe set search_path from current as $$
  select case when word ~ '[^a-z]' then null
    when word ~ 'coes$' then regexp_replace(word, 'coes$', 'ções')
    when word ~ 'cao$' then regexp_replace(word, 'cao$', 'ção')
    when word ~ 'oes$' then regexp_replace(word, 'oes$', 'ões')
    when word ~ 'aes$' then regexp_replace(word, 'aes$', 'ães')
    when word ~ 'aos$' then regexp_replace(word, 'aos$', 'ãos')
    when word ~ 'ao$' then regexp_replace(word, 'ao$', 'ão')
    when word ~ 'encias?$' then regexp_replace(word, 'encia(s?)$', 'ência\1')
    when word ~ 'ancias?$' then regexp_replace(word, 'ancia(s?)$', 'ância\1')
    when word ~ '[ai]vel$' then regexp_replace(regexp_replace(word, 'avel$', 'ável'), 'ivel$', 'ível')
    when word ~ '[ai]veis$' then regexp_replace(regexp_replace(word, 'aveis$', 'áveis'), 'iveis$', 'íveis')
    when word ~ 'ario?s?$' then regexp_replace(word, 'ari(o?s?)$', 'ári\1')
    when word ~ 'orio?s?$' then regexp_replace(word, 'ori(o?s?)$', 'óri\1')
    else null end
$$;

-- Lexemes of a question in one lexicon, and how often each stands in it.
create function concordance.query_lexemes(lexicon text, words text) returns table (lexeme text, times int)
language sql immutable strict parallel safe rows 10 set search_path from current as $$
  with written as (select t.lexeme, cardinality(t.positions) as times from unnest(lexemes(lexicon, words)) t)
  select * from written
  union all
  select distinct accented.lexeme, 1
    from regexp_split_to_table(lower(words), '[^[:alnum:]]+') word, unnest(lexemes('pt', accented_ending(word))) accented
   where lexicon = 'pt' and accented.lexeme not in (select w.lexeme from written w)
$$;

-- How to look a question up among the chunks of the tenant.
--   weights   IDF times count in the question of every lexeme that the tenant has: minus its inner product with a
--             chunk's `bm25` is the chunk's score
--   matching  which chunks are worth scoring: those with a lexeme that is rare enough for all such to fit the budget, or
--             with a pair of the others whose meeting is expected to (the index intersects without a heap visit)
--   fallback  more of them, for when too few match: those with the rarest lexeme, which alone is over the budget
--   required  what a hit must hold, whichever list finds it
--   terms     lexemes by lexicon, to mark them in a hit
-- All null for a question with no lexeme that the tenant has.
create function concordance.lexical_query(query text, language text default null, candidate_budget int default 4000,
  out weights sparsevec, out matching tsquery, out fallback tsquery, out required tsquery, out terms jsonb)
language plpgsql stable set search_path from current as $$
declare
  tenant text := current_tenant();
  parsed record := parse_query(query);
  spoken text := lexicon(language);
  lexicons text[];
  content_words text;
begin
  if tenant is null then return; end if;

  select array_agg(c.lexicon order by c.lexicon) into lexicons
    from (select c.lexicon, sum(c.chunks) as n
            from (select * from lexeme_counts union all select * from lexeme_count_deltas) c
           where c.source_account_id = tenant and c.lexicon in ('en', 'pt', 'simple') and c.lexeme = ''
           group by 1) c
   where n > 0;
  if lexicons is null then return; end if;

  -- The question's language is the one with more of its stop words in it; they are dropped from every parse, or `the`
  -- would be a rare and telling word among Portuguese chunks.
  if spoken is null then
    select case when en > pt then 'en' when pt > en then 'pt' end into spoken
      from (select count(*) filter (where is_stop_word('en', word)) as en, count(*) filter (where is_stop_word('pt', word)) as pt
              from regexp_split_to_table(parsed.words, '[^[:alnum:]]+') word) stop_words;
  end if;
  select string_agg(word, ' ' order by place) into content_words
    from regexp_split_to_table(parsed.words, '\s+') with ordinality w (word, place)
   where not is_stop_word(coalesce(spoken, 'en'), btrim(word, '.,;:!?()[]{}''…«»“”‘’¿¡'))
     and not (spoken is null and is_stop_word('pt', btrim(word, '.,;:!?()[]{}''…«»“”‘’¿¡')));
  required := required_lexemes(parsed.phrases, parsed.excluded, lexicons, spoken);

  with counted as (
    select c.lexicon, c.lexeme, sum(c.chunks) as chunks
      from (select * from lexeme_counts union all select * from lexeme_count_deltas) c
      join (select l as lexicon, q.lexeme from unnest(lexicons) l, query_lexemes(l, content_words) q
            union all select l, '' from unnest(lexicons) l) wanted using (lexicon, lexeme)
     where c.source_account_id = tenant
     group by 1, 2),
  term as (
    select l as lexicon, q.lexeme, q.times, f.chunks as frequency, n.chunks as total,
           ln(1 + (n.chunks - f.chunks + 0.5) / (f.chunks + 0.5)) as idf, quote_lexeme(q.lexeme) as quoted
      from unnest(lexicons) l
           cross join lateral query_lexemes(l, content_words) q
           join counted f on f.lexicon = l and f.lexeme = q.lexeme and f.chunks > 0
           join counted n on n.lexicon = l and n.lexeme = ''),
  ranked as (
    select *, row_number() over rarest as place, sum(frequency) over rarest as running
      from term window rarest as (order by frequency, lexeme, lexicon)),
  frequent as (select *, row_number() over (order by place) as turn from ranked where running > candidate_budget),
  rare as (select string_agg(quoted, '|') as any_of from ranked where running <= candidate_budget),
  pairs as (
    select string_agg(format('(%s&%s)', a.quoted, b.quoted), '|') as any_of
      from frequent a join frequent b on a.lexicon = b.lexicon and a.turn < b.turn and b.turn <= 6
     where a.frequency::float8 * b.frequency / a.total <= candidate_budget or (a.place = 1 and b.place = 2)),
  rarest as (select quoted from ranked where place = 1),
  weight as (select lexeme_dimension(lexicon, lexeme) as dimension, sum(times * idf)::real as value from ranked group by 1)
  select (select ('{' || string_agg(dimension || ':' || value, ',' order by dimension) || '}/999999937')::sparsevec from weight),
         coalesce(rare.any_of || '|' || pairs.any_of, rare.any_of, pairs.any_of, (select quoted from rarest))::tsquery,
         case when rare.any_of is null and pairs.any_of is not null then (select quoted from rarest)::tsquery end,
         (select jsonb_object_agg(lexicon, lexemes) from (select lexicon, jsonb_agg(lexeme) as lexemes from ranked group by 1) t)
    into weights, matching, fallback, terms
    from rare, pairs;
end $$;

-- The best `depth` chunks of the tenant for a `lexical_query`. `filter` is a jsonpath predicate over a chunk's metadata,
-- to which `$document_id`, `$kind` and `$language` are known.
--
-- SECURITY DEFINER, and the only such function: `@@` is not leakproof, so that under row-level security the index on the
-- lexemes is out of use (at 149,500 chunks 225 ms against 8). Hence the tenant stands in its own WHERE, and
-- `current_tenant()` answers null for whoever may not be that tenant.
create function concordance.lexical_candidates(
  weights sparsevec, matching tsquery, fallback tsquery, required tsquery, filter jsonpath, depth int)
returns table (chunk_key bigint, document_id text, score float8)
language plpgsql stable security definer rows 100
set search_path from current set enable_seqscan = off set jit = off as $$
declare
  tenant text := current_tenant();
  attempt tsquery := matching;
  found_keys bigint[];
  found_documents text[];
  found_scores float8[];
begin
  if tenant is null or matching is null then return; end if;
  loop
    select array_agg(c.key), array_agg(c.document_id), array_agg(c.score) into found_keys, found_documents, found_scores
      from (select c.key, c.document_id, -(c.bm25 <#> weights) as score
              from chunks c
             where c.source_account_id = tenant
               and c.lexemes @@ attempt
               and (required is null or c.lexemes @@ required)
               and (filter is null or jsonb_path_exists(c.metadata, filter,
                      jsonb_build_object('document_id', c.document_id, 'kind', c.kind, 'language', c.language), true))
             order by c.bm25 <#> weights, c.document_id, c.id
             limit depth) c;
    exit when fallback is null or cardinality(found_keys) >= depth;
    attempt := matching || fallback;
    fallback := null;
  end loop;
  return query select * from unnest(found_keys, found_documents, found_scores);
end $$;

revoke execute on function concordance.lexical_candidates from public;
grant execute on function concordance.lexical_candidates to concordance_app, concordance_reader;
