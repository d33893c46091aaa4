-- What a chunk's words cost to write, for less. The values are those of 0002, 0004 and 0020, to the byte
-- (tests/lexeme-values.test.ts compares with the functions of 0002). ms of CPU a chunk of 110 lexemes, 200 at once: weights
-- .86 to .31, index .75 to .2; parsing takes .25 and stays.
select set_config('search_path', concordance.function_path(), true);

-- `lexeme_dimension` of a lexeme whose hash is known: its first seven bytes, modulo the largest prime below 10^9. A hash in
-- a column, so that this is inlined: bit strings and their texts cost three times as much as the hash itself.
create function concordance.hash_dimension(hash bytea) returns int
language sql immutable parallel safe as $$
  select (((((get_byte(hash, 0) << 16) + (get_byte(hash, 1) << 8) + get_byte(hash, 2))::bigint << 32)
           + (get_byte(hash, 3)::bigint << 24)
           + ((get_byte(hash, 4) << 16) + (get_byte(hash, 5) << 8) + get_byte(hash, 6))) % 999999937)::int + 1
$$;

-- As in 0002. Plpgsql, because its plans are kept; in two steps, because the length is known after the first. Two lexemes
-- of one dimension: the greater count has the greater weight.
create or replace function concordance.bm25_weights(lexicon text, chunk tsvector) returns sparsevec
language plpgsql immutable strict parallel safe set search_path from current as $$
declare
  prefix text := lexicon || ':';
  dimensions int[];
  counts real[];
  lexemes real;
  norm float8;
begin
  select array_agg(hash_dimension(t.hash)), array_agg(t.tf), sum(t.tf) into dimensions, counts, lexemes
    from (select (cardinality(positions) + cardinality(array_positions(weights, 'A')))::real as tf,
                 sha256(convert_to(prefix || lexeme, 'UTF8')) as hash
            from unnest(chunk) offset 0) t;
  norm := 1.2 * (0.25 + 0.75 * lexemes / 110.0);
  -- A sparsevec holds 16,000 lexemes: of more the heaviest.
  if length(chunk) > 16000 then
    return (
      select ('{' || string_agg(dimension || ':' || value, ',' order by dimension) || '}/999999937')::sparsevec
        from (select dimension, (max(tf) * 2.2 / (max(tf) + norm))::real as value
                from unnest(dimensions, counts) t (dimension, tf)
               group by dimension order by value desc, dimension limit 16000) weight);
  end if;
  return (
    select ('{' || coalesce(string_agg(dimension || ':' || (tf * 2.2 / (tf + norm))::real, ','), '') || '}/999999937')::sparsevec
      from (select dimension, max(tf) as tf from unnest(dimensions, counts) t (dimension, tf)
             group by dimension order by dimension) weight);
end $$;

-- The entries of many chunks go into the index together: each lexeme is looked up once for all of them. They gather in the
-- pending list, and each statement empties it before it ends, so that no search reads through one (what 0003 was after),
-- but those that meet a writer between the two.
alter index concordance.chunks_lexemes set (fastupdate = on);

-- Only an index's owner may. It takes nothing, tells nothing, and does what any later write would do.
create function concordance.settle_lexemes() returns void
language sql volatile security definer set search_path = pg_catalog, concordance, pg_temp as $$
  select pg_catalog.gin_clean_pending_list('concordance.chunks_lexemes'::pg_catalog.regclass)
$$;
revoke all on function concordance.settle_lexemes() from public;
grant execute on function concordance.settle_lexemes() to concordance_app;

-- As in 0020, but what would be folded at once is folded before it is written as differences: a load of many chunks wrote,
-- found and deleted 30 rows a chunk. Whoever doesn't get the lock of `compact_lexeme_counts` leaves differences.
create or replace function concordance.count_chunk_lexemes() returns trigger
language plpgsql set search_path = pg_catalog, concordance, pg_temp as $$
declare
  tenants text[];
  lexicons text[];
  lexemes text[];
  counts bigint[];
  folded text[] := '{}';
  whose text;
  folding float8 := random();
begin
  if tg_op = 'INSERT' then
    select array_agg(t.tenant), array_agg(t.lexicon), array_agg(t.lexeme), array_agg(t.n) into tenants, lexicons, lexemes, counts
      from (select a.source_account_id as tenant, term.lexicon, term.lexeme, count(*) as n
              from added a, lateral counted_terms(a.language, a.translation_language, a.lexemes, a.searchable) term
             group by 1, 2, 3) t;
  elsif tg_op = 'DELETE' then
    select array_agg(t.tenant), array_agg(t.lexicon), array_agg(t.lexeme), array_agg(t.n) into tenants, lexicons, lexemes, counts
      from (select r.source_account_id as tenant, term.lexicon, term.lexeme, -count(*) as n
              from removed r, lateral counted_terms(r.language, r.translation_language, r.lexemes, r.searchable) term
             group by 1, 2, 3) t;
  else
    select array_agg(t.tenant), array_agg(t.lexicon), array_agg(t.lexeme), array_agg(t.n) into tenants, lexicons, lexemes, counts
      from (select c.source_account_id as tenant, term.lexicon, term.lexeme, sum(c.sign) as n
              from (select 1 as sign, * from added union all select -1, * from removed) c,
                   lateral counted_terms(c.language, c.translation_language, c.lexemes, c.searchable) term
             group by 1, 2, 3 having sum(c.sign) <> 0) t;
  end if;

  -- About every 8,192 differences: the cost per difference stays constant, and a reader adds up few of them.
  if folding < cardinality(lexemes) / 8192.0 then
    foreach whose in array array(select distinct t.tenant from unnest(tenants) t (tenant) order by 1) loop
      -- A statement of its own: the next one's snapshot must be younger than the lock.
      if pg_try_advisory_xact_lock(hashtextextended('concordance.lexeme_counts:' || whose, 0)) then
        with earlier as (
          delete from lexeme_count_deltas where source_account_id = whose returning lexicon, lexeme, chunks)
        insert into lexeme_counts as c (source_account_id, lexicon, lexeme, chunks)
        select whose, d.lexicon, d.lexeme, sum(d.chunks)
          from (select e.lexicon, e.lexeme, e.chunks from earlier e
                union all
                select t.lexicon, t.lexeme, t.n from unnest(tenants, lexicons, lexemes, counts) t (tenant, lexicon, lexeme, n)
                 where t.tenant = whose) d
         group by d.lexicon, d.lexeme having sum(d.chunks) <> 0
        on conflict (source_account_id, lexicon, lexeme) do update set chunks = c.chunks + excluded.chunks;
        folded := folded || whose;
      end if;
    end loop;
  end if;
  insert into lexeme_count_deltas (source_account_id, lexicon, lexeme, chunks)
  select t.tenant, t.lexicon, t.lexeme, t.n from unnest(tenants, lexicons, lexemes, counts) t (tenant, lexicon, lexeme, n)
   where t.tenant <> all (folded);

  if tg_op <> 'DELETE' then
    if exists (select from added) then perform settle_lexemes(); end if;
  end if;
  return null;
end $$;
