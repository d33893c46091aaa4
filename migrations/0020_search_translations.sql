-- A chunk may be there in two languages: `content` in `language`, `translated_content` in `translation_language`. It is
-- found by the words of either. Both languages' lexemes stand in the one `lexemes`, told apart by weight: A and D (title,
-- content) are the chunk's language, C is the translation. Each language counts and weighs its own, so that a bilingual
-- chunk scores in each as a chunk of that language alone would. Chunks without a translation are as they were.
select set_config('search_path', concordance.function_path(), true);

alter table concordance.chunks add column translation_language text;
alter table concordance.chunks add constraint chunks_translation
  check ((translated_content is null) = (translation_language is null));

-- BM25 weights of a chunk in two languages: as `bm25_weights`, each language with its own length. Where both share a
-- lexicon (German and French do) a lexeme has the greater of its two weights.
create function concordance.bilingual_weights(language text, translation_language text, chunk tsvector) returns sparsevec
language sql immutable strict parallel safe set search_path from current as $$
  with term as (
    select 'original' as part, lexicon(language) as lexicon, lexeme,
           (cardinality(array_positions(weights, 'D')) + 2 * cardinality(array_positions(weights, 'A')))::real as tf
      from unnest(chunk)
    union all
    select 'translation', lexicon(translation_language), lexeme, cardinality(array_positions(weights, 'C'))::real
      from unnest(chunk)),
  part_length as (select part, sum(tf) as lexemes from term group by part),
  weight as (
    select lexeme_dimension(lexicon, lexeme) as dimension,
           max(tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * lexemes / 110.0)))::real as value
      from term join part_length using (part) where tf > 0 group by 1 order by value desc, dimension limit 16000)
  select ('{' || coalesce(string_agg(dimension || ':' || value, ',' order by dimension), '') || '}/999999937')::sparsevec from weight
$$;

create or replace function concordance.set_chunk_lexemes() returns trigger
language plpgsql set search_path from current as $$
begin
  if not new.searchable then
    new.lexemes := '';
  else
    new.lexemes := chunk_lexemes(lexicon(new.language), new.title, new.content);
    if new.translated_content is not null then
      new.lexemes := new.lexemes || setweight(lexemes(lexicon(new.translation_language), new.translated_content), 'C');
    end if;
  end if;
  if new.translated_content is null then
    new.bm25 := bm25_weights(lexicon(new.language), new.lexemes);
  else
    new.bm25 := bilingual_weights(new.language, new.translation_language, new.lexemes);
  end if;
  return new;
end $$;

drop trigger set_lexemes on concordance.chunks;
create trigger set_lexemes
  before insert or update of title, content, language, translated_content, translation_language, searchable, lexemes, bm25
  on concordance.chunks for each row execute function concordance.set_chunk_lexemes();

-- What a chunk adds to the counts: its lexemes by lexicon, and once for each of its lexicons the empty lexeme, which
-- counts chunks. Two languages of one lexicon count a lexeme, and the chunk, once.
create function concordance.counted_terms(language text, translation_language text, lexemes tsvector, searchable boolean)
returns table (lexicon text, lexeme text)
language sql immutable parallel safe as $$
  select concordance.lexicon(language), t.lexeme from unnest(lexemes) t
   where translation_language is null or t.weights && array['A', 'D']
  union all
  select concordance.lexicon(language), '' where searchable
  union all
  select concordance.lexicon(translation_language), t.lexeme from unnest(lexemes) t
   where translation_language is not null and 'C' = any (t.weights)
     and not (t.weights && array['A', 'D'] and concordance.lexicon(language) = concordance.lexicon(translation_language))
  union all
  select concordance.lexicon(translation_language), ''
   where searchable and translation_language is not null
     and concordance.lexicon(language) <> concordance.lexicon(translation_language)
$$;

create or replace function concordance.count_chunk_lexemes() returns trigger
language plpgsql set search_path = pg_catalog, concordance, pg_temp as $$
declare
  written bigint := 0;
  tenant text;
  folding float8 := random();
begin
  if tg_op = 'INSERT' then
    insert into lexeme_count_deltas
    select source_account_id, term.lexicon, term.lexeme, count(*)
      from added, lateral counted_terms(language, translation_language, lexemes, searchable) term
     group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into lexeme_count_deltas
    select source_account_id, term.lexicon, term.lexeme, -count(*)
      from removed, lateral counted_terms(language, translation_language, lexemes, searchable) term
     group by 1, 2, 3;
  else
    insert into lexeme_count_deltas
    select source_account_id, term.lexicon, term.lexeme, sum(sign)
      from (select 1 as sign, * from added union all select -1, * from removed) changed,
           lateral counted_terms(language, translation_language, lexemes, searchable) term
     group by 1, 2, 3 having sum(sign) <> 0;
  end if;
  get diagnostics written = row_count;
  -- About every 8,192 differences: the cost per difference stays constant, and a reader adds up few of them.
  if folding < written / 8192.0 then
    if tg_op = 'DELETE' then
      for tenant in select distinct source_account_id from removed order by 1 loop perform compact_lexeme_counts(tenant); end loop;
    else
      for tenant in select distinct source_account_id from added order by 1 loop perform compact_lexeme_counts(tenant); end loop;
    end if;
  end if;
  return null;
end $$;
