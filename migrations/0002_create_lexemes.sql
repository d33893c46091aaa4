-- From text to lexemes, and from lexemes to the BM25 weights of a chunk.
--
-- A lexicon is a language's set of lexemes, with its own parser, counts and dimensions. Two are stemmed (`en`, `pt`);
-- every other language shares `simple`, which only folds case and accents.
select set_config('search_path', concordance.function_path(), true);

create text search configuration concordance.en_unaccent (copy = pg_catalog.english);
alter text search configuration concordance.en_unaccent
  alter mapping for hword, hword_part, word with unaccent, english_stem;

create text search configuration concordance.simple_unaccent (copy = pg_catalog.simple);
alter text search configuration concordance.simple_unaccent
  alter mapping for hword, hword_part, word with unaccent, simple;

-- The lexicon of a BCP 47 language tag.
create function concordance.lexicon(language text) returns text
language sql immutable parallel safe as $$
  select case when language ~ '^en(-|$)' then 'en' when language ~ '^pt(-|$)' then 'pt' else 'simple' end
$$;

-- A lexeme as it is written inside a tsvector or tsquery literal.
create function concordance.quote_lexeme(lexeme text) returns text
language sql immutable parallel safe as $$
  select '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''''
$$;

-- Lexemes with their positions. Portuguese is stemmed first and unaccented after: the other way round -ção and -ções
-- part, and stop words become lexemes. That is done lexeme by lexeme, since unaccent can write a quote (ŉ becomes 'n).
-- `unaccent` is only stable, because its dictionary could be edited; ours is not.
create function concordance.lexemes(lexicon text, content text) returns tsvector
language plpgsql immutable strict parallel safe set search_path from current as $$
begin
  if lexicon = 'en' then return to_tsvector('concordance.en_unaccent', content); end if;
  if lexicon = 'simple' then return to_tsvector('concordance.simple_unaccent', content); end if;
  return (
    select coalesce(string_agg(quote_lexeme(left(unaccent(t.lexeme), 500)) || ':' || array_to_string(t.positions, ','), ' '), '')::tsvector
      from unnest(to_tsvector('pg_catalog.portuguese', content)) t);
end $$;

-- Lexemes of a chunk: those of its title stand in front, with weight A.
create function concordance.chunk_lexemes(lexicon text, title text, content text) returns tsvector
language sql immutable strict parallel safe set search_path from current as $$
  select setweight(lexemes(lexicon, title), 'A') || lexemes(lexicon, content)
$$;

-- Dimension of a lexeme: a hash of lexicon and lexeme modulo the largest prime below a sparsevec's 10^9 dimensions.
-- SHA-256, so that it is the same on every machine and version (18 collisions among 72,266 words: harmless).
create function concordance.lexeme_dimension(lexicon text, lexeme text) returns int
language sql immutable parallel safe as $$
  select (('x' || encode(substr(sha256(convert_to(lexicon || ':' || lexeme, 'UTF8')), 1, 7), 'hex'))::bit(56)::bigint % 999999937)::int + 1
$$;

-- BM25 weight of each lexeme of a chunk, without the IDF, which the query brings:
--   tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)),  k1 = 1.2, b = 0.75
-- Lexemes of the title (weight A) count twice. The average length is a constant of this schema: weights stored under
-- a mean that drifts cost .06 to .17 nDCG@10, a constant wrong by 2 times costs .002.
-- A sparsevec holds 16,000 lexemes: of more than that (compounds count once whole and once a part) the heaviest.
create function concordance.bm25_weights(lexicon text, chunk tsvector) returns sparsevec
language sql immutable strict parallel safe set search_path from current as $$
  with term as (
    select lexeme_dimension(lexicon, lexeme) as dimension,
           (cardinality(positions) + cardinality(array_positions(weights, 'A')))::real as tf
      from unnest(chunk)),
  chunk_length as (select sum(tf) as lexemes from term),
  weight as (
    select dimension, max(tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * lexemes / 110.0)))::real as value
      from term, chunk_length group by dimension order by value desc, dimension limit 16000)
  select ('{' || coalesce(string_agg(dimension || ':' || value, ',' order by dimension), '') || '}/999999937')::sparsevec from weight
$$;
