-- A word of a question that no chunk of the tenant has is also looked for as the words of the tenant's own vocabulary that
-- are one slip away: two neighbours swapped, a letter replaced, missing or too many. `photosinthesis` finds what `photosynthesis` is in.
--
-- By trying every slip against the counts (Norvig's way) rather than by trigrams: all 800 words that are one slip from one of
-- twelve letters are looked up by the key that the counts have anyway, whatever the vocabulary's size. It needs no index, which each
-- write would pay for, and no extension, which a server may not have. And it stems what it tries: `nutritoin` is cut
-- nowhere, `nutrition` is cut to `nutrit`, and as lexemes the two are far apart.
select set_config('search_path', concordance.function_path(), true);

-- Every word that is one slip from `word`, lower case, the likelier slips first; a few come twice. The letters tried are a to z, in
-- Portuguese those with accents too (its stemmer needs them; the others' lexemes have none).
create function concordance.near_words(lexicon text, word text) returns setof text
language plpgsql immutable strict parallel safe rows 800 set search_path from current as $$
declare
  letters text[] := string_to_array('abcdefghijklmnopqrstuvwxyz' || case when lexicon = 'pt' then 'áâãàçéêíóôõúü' else '' end, null);
  size int := length(word);
begin
  return query select left(word, i - 1) || substr(word, i + 1, 1) || substr(word, i, 1) || substr(word, i + 2) from generate_series(1, size - 1) i;
  return query select left(word, i - 1) || letter || substr(word, i + 1) from generate_series(1, size) i, unnest(letters) letter;
  return query select left(word, i) || letter || substr(word, i + 1) from generate_series(0, size) i, unnest(letters) letter;
  return query select left(word, i - 1) || substr(word, i + 1) from generate_series(1, size) i;
end $$;

-- The lexemes of the tenant's that `word`, lower case, may be a misspelling of: at most three, those in the most `chunks`, with
-- the word that was tried and has this lexeme (`written`).
-- Most of what is tried keeps the word's first three letters: the few lexemes that begin so are read once, where looking
-- each up takes 3 µs. Only the others are looked up.
create function concordance.corrected_lexemes(lexicon text, word text) returns table (lexeme text, written text, chunks float8)
language plpgsql stable strict rows 3 set search_path from current set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = on set jit = off as $$
declare
  tenant text := current_tenant();
  of_lexicon text := lexicon;
  beginning text := left(unaccent(word), 3);
  -- Greater than whatever begins so: the greatest character there is.
  beyond text := beginning || chr(1114111);
  tried text[];
  stems text[];
  elsewhere text[];
begin
  tried := array(select near_words(of_lexicon, case when of_lexicon = 'pt' then word else unaccent(word) end));
  stems := case of_lexicon
    when 'en' then array(select (ts_lexize('pg_catalog.english_stem', attempt))[1] from unnest(tried) attempt)
    when 'pt' then array(select unaccent((ts_lexize('pg_catalog.portuguese_stem', attempt))[1]) from unnest(tried) attempt)
    else tried end;
  elsewhere := array(select stem from unnest(stems) stem where not starts_with(stem, beginning));
  return query
  with nearby as materialized (
    select c.lexeme, c.chunks from lexeme_counts c
     where c.source_account_id = tenant and c.lexicon = of_lexicon and c.lexeme >= beginning and c.lexeme < beyond
    union all
    select c.lexeme, c.chunks from lexeme_count_deltas c
     where c.source_account_id = tenant and c.lexicon = of_lexicon and c.lexeme >= beginning and c.lexeme < beyond
    union all
    select c.lexeme, c.chunks from lexeme_counts c
     where c.source_account_id = tenant and c.lexicon = of_lexicon and c.lexeme = any (elsewhere)
    union all
    select c.lexeme, c.chunks from lexeme_count_deltas c
     where c.source_account_id = tenant and c.lexicon = of_lexicon and c.lexeme = any (elsewhere)),
  likely as (
    select n.lexeme, sum(n.chunks)::float8 as chunks
      from nearby n
     where n.lexeme in (select stem collate "C" from unnest(stems) stem)
     group by n.lexeme having sum(n.chunks) > 0
     order by 2 desc, 1 limit 3)
  select l.lexeme, tried[array_position(stems, l.lexeme)], l.chunks from likely l;
end $$;

-- What the words of a question that no chunk has may have been meant to be. `words` are those without stop words, `terms` the
-- lexemes found so far, `lexicons` those of the tenant, of which only the question's own is searched where it is known.
--   corrections   [{"word": "photosinthesis", "as": ["photosynthesis"]}], null where there is none
--   lexicons, lexemes, weights   what to look for beside, in place of how often it stands in the question
-- A word of a phrase is meant as it stands. Words of fewer than five letters are too near each other (fog, fig, fogo), one of
-- more than twenty is rarely a word. Three words at most, so that a question of nothing but slips costs 9 ms a lexicon; and
-- only the first 64 words are looked at.
create function concordance.correct_words(words text, phrases text[], terms jsonb, of_lexicons text[], spoken text,
  out corrections jsonb, out lexicons text[], out lexemes text[], out weights float8[])
language plpgsql stable set search_path from current set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  with placed as (
    select lower(p.token) as word, min(p.place) as place
      from ts_parse('default', words) with ordinality p (tokid, token, place)
     -- Letters alone, also as part of a compound: asciiword, word, hword_part, hword_asciipart.
     where p.tokid in (1, 2, 10, 11) and char_length(p.token) between 5 and 20
       and lower(p.token) not in (select lower(q.token) from ts_parse('default', array_to_string(phrases, ' ')) q)
     group by 1 order by 2 limit 64),
  misspelt as materialized (
    select p.word, p.place
      from placed p
      cross join lateral (
        select bool_or(coalesce(jsonb_exists(terms -> l, q.lexeme), false)) as known
          from unnest(of_lexicons) l, query_lexemes(l, p.word) q) s
     -- Null for a stop word, which has no lexeme.
     where not s.known
     order by p.place limit 3),
  likely as materialized (
    select m.word, m.place, c.*, c.chunks / max(c.chunks) over (partition by m.word) as share,
           row_number() over (partition by m.word order by c.chunks desc, c.lexeme, c.lexicon) as turn
      from misspelt m
      cross join lateral (
        select l as lexicon, f.lexeme, f.written, f.chunks
          from unnest(of_lexicons) l, corrected_lexemes(l, m.word) f
         where l = spoken or spoken is null or spoken <> all (of_lexicons)) c),
  kept as (select * from likely where turn <= 3)
  select (select jsonb_agg(jsonb_build_object('word', w.word, 'as', w.written) order by w.place)
            from (select k.word, min(k.place) as place, jsonb_agg(distinct k.written) as written from kept k group by k.word) w),
         array_agg(k.lexicon), array_agg(k.lexeme), array_agg(0.8 * k.share)
    into corrections, lexicons, lexemes, weights
    from kept k;
end $$;

-- As in 0007, and with what misspelt words may be: their lexemes stand among `weights`, `matching` and `terms`, and
-- `terms -> 'corrections'` tells which they are.
create or replace function concordance.lexical_query(query text, language text default null, candidate_budget int default 4000,
  out weights sparsevec, out matching tsquery, out fallback tsquery, out required tsquery, out terms jsonb)
language plpgsql stable set search_path from current set plan_cache_mode = force_generic_plan as $$
declare
  tenant text := current_tenant();
  parsed record := parse_query(query);
  spoken text := case when language is not null then lexicon(language) end;
  lexicons text[];
  totals bigint[];
  stop_words record;
  telling text;
  missing boolean;
  corrections jsonb;
  corrected_lexicons text[] := '{}';
  corrected text[] := '{}';
  corrected_weights float8[] := '{}';
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

  telling := case spoken when 'en' then stop_words.without_en when 'pt' then stop_words.without_pt
                         when 'simple' then parsed.words else stop_words.without_both end;

  -- Once, and once more with what the misspelt words may be.
  loop
  with asked as materialized (
    select l.lexicon, l.total, q.lexeme, q.times::float8 as times
      from unnest(lexicons, totals) l (lexicon, total), query_lexemes(l.lexicon, telling) q
    union all
    select l.lexicon, l.total, c.lexeme, c.weight
      from unnest(lexicons, totals) l (lexicon, total)
      join unnest(corrected_lexicons, corrected, corrected_weights) c (lexicon, lexeme, weight) on c.lexicon = l.lexicon),
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
            from (select r.lexicon, jsonb_agg(r.lexeme) as lexemes from ranked r group by 1) t),
         (select bool_and(l.missing) from (select bool_or(c.frequency = 0) as missing from counted c group by c.lexicon) l)
    into weights, matching, fallback, terms, missing
    from rare, pairs;
  -- Where one lexicon has all of the words, as is usual, that is all.
  exit when corrections is not null or not coalesce(missing, false);
  select c.corrections, c.lexicons, c.lexemes, c.weights into corrections, corrected_lexicons, corrected, corrected_weights
    from correct_words(telling, parsed.phrases, terms, lexicons, spoken) c;
  exit when corrections is null;
  end loop;
  if corrections is not null then terms := terms || jsonb_build_object('corrections', corrections); end if;
end $$;


