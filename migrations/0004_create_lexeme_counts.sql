-- In how many chunks each lexeme stands, per tenant and lexicon: the document frequencies of BM25. The row of the
-- empty lexeme counts the chunks themselves.
--
-- Writers never wait for each other: each appends its differences, and now and then one that gets the lock folds them
-- into the counts. A reader adds both up within one snapshot, so that the numbers are exact at any time.
select set_config('search_path', concordance.function_path(), true);

create table concordance.lexeme_counts (
  source_account_id text not null,
  lexicon text collate "C" not null,
  lexeme text collate "C" not null,
  chunks bigint not null,
  primary key (source_account_id, lexicon, lexeme)
);

create table concordance.lexeme_count_deltas (
  source_account_id text not null,
  lexicon text collate "C" not null,
  lexeme text collate "C" not null,
  chunks bigint not null
);
create index lexeme_count_deltas_lexeme on concordance.lexeme_count_deltas (source_account_id, lexicon, lexeme) include (chunks);

-- Folds a tenant's differences into its counts, unless another transaction is at it.
create function concordance.compact_lexeme_counts(tenant text) returns void
language plpgsql set search_path = pg_catalog, concordance, pg_temp as $$
begin
  -- A statement of its own: the next one's snapshot must be younger than the lock.
  if not pg_try_advisory_xact_lock(hashtextextended('concordance.lexeme_counts:' || tenant, 0)) then return; end if;
  with folded as (
    delete from lexeme_count_deltas where source_account_id = tenant returning lexicon, lexeme, chunks)
  insert into lexeme_counts as c (source_account_id, lexicon, lexeme, chunks)
  select tenant, lexicon, lexeme, sum(chunks) from folded group by lexicon, lexeme having sum(chunks) <> 0
  on conflict (source_account_id, lexicon, lexeme) do update set chunks = c.chunks + excluded.chunks;
end $$;

-- A deletion that cascades from a document runs it as the owner.
create function concordance.count_chunk_lexemes() returns trigger
language plpgsql set search_path = pg_catalog, concordance, pg_temp as $$
declare
  written bigint := 0;
  tenant text;
  folding float8 := random();
begin
  if tg_op = 'INSERT' then
    insert into lexeme_count_deltas
    select source_account_id, lexicon(language), term.lexeme, count(*)
      from added, lateral (select lexeme from unnest(lexemes) union all select '' where searchable) term
     group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into lexeme_count_deltas
    select source_account_id, lexicon(language), term.lexeme, -count(*)
      from removed, lateral (select lexeme from unnest(lexemes) union all select '' where searchable) term
     group by 1, 2, 3;
  else
    insert into lexeme_count_deltas
    select source_account_id, lexicon(language), term.lexeme, sum(sign)
      from (select 1 as sign, * from added union all select -1, * from removed) changed,
           lateral (select lexeme from unnest(lexemes) union all select '' where searchable) term
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

create trigger count_added after insert on concordance.chunks
  referencing new table as added for each statement execute function concordance.count_chunk_lexemes();
create trigger count_removed after delete on concordance.chunks
  referencing old table as removed for each statement execute function concordance.count_chunk_lexemes();
create trigger count_changed after update on concordance.chunks
  referencing old table as removed new table as added for each statement execute function concordance.count_chunk_lexemes();
