-- How many requests of a key, or for a tenant, the running minute has had. All processes share it, each by shares that it
-- takes ahead (lib/limits/rate-limiter.ts). One row a subject, written over by its next minute, so that nothing piles up.
select set_config('search_path', concordance.function_path(), true);

create table concordance.key_rates (
  key_hash text primary key check (key_hash <> ''),   -- of the key's id, not of the key: what it opens isn't in here
  began timestamptz not null,
  taken int not null
) with (fillfactor = 50);

create table concordance.tenant_rates (
  source_account_id text primary key default 'primary' check (source_account_id <> ''),
  began timestamptz not null,
  taken int not null
) with (fillfactor = 50);

alter table concordance.key_rates enable row level security;
create policy own on concordance.key_rates to concordance_app
  using (key_hash = (select current_setting('app.api_key_hash', true)));
grant select, insert, update on concordance.key_rates to concordance_app;

alter table concordance.tenant_rates enable row level security;
create policy tenant on concordance.tenant_rates to concordance_app
  using (source_account_id = (select current_setting('app.source_account_id', true)));
create policy reader on concordance.tenant_rates for select to concordance_reader
  using (source_account_id = (select concordance.current_tenant()));
grant select, insert, update on concordance.tenant_rates to concordance_app;
grant select on concordance.tenant_rates to concordance_reader;

-- What a process gets of a minute of which `free` are left: what it wants, but no more than an eighth of them, so that the
-- others find some, and one at the least.
create function concordance.rate_share(wanted int, free int) returns int
language sql immutable set search_path from current as $$
  select greatest(0, least(wanted, greatest(1, free / 8), free))
$$;

-- Takes a share of the key's minute, or nothing where it is used up. The minute begins with its first request, by this
-- server's clock, which is read when the row is locked. Returns how many, how many are left, and for how many ms.
create function concordance.take_key_rate(wanted int, per_minute int)
returns table (granted int, free int, ms_left int)
language plpgsql volatile set search_path from current as $$
declare
  subject text := current_setting('app.api_key_hash', true);
  minute timestamptz;
  before int;
begin
  insert into key_rates (key_hash, began, taken) values (subject, '-infinity', 0) on conflict do nothing;
  select r.began, r.taken into minute, before from key_rates r where r.key_hash = subject for update;
  if minute <= clock_timestamp() - interval '1 minute' or minute > clock_timestamp() then
    minute := clock_timestamp();
    before := 0;
  end if;
  granted := rate_share(wanted, per_minute - before);
  free := greatest(0, per_minute - before - granted);
  ms_left := greatest(0, floor(extract(epoch from minute + interval '1 minute' - clock_timestamp()) * 1000));
  if granted > 0 then
    update key_rates r set began = minute, taken = before + granted where r.key_hash = subject;
  end if;
  return next;
end $$;

-- The same of the tenant's minute.
create function concordance.take_tenant_rate(wanted int, per_minute int)
returns table (granted int, free int, ms_left int)
language plpgsql volatile set search_path from current as $$
declare
  subject text := current_setting('app.source_account_id', true);
  minute timestamptz;
  before int;
begin
  insert into tenant_rates (source_account_id, began, taken) values (subject, '-infinity', 0) on conflict do nothing;
  select r.began, r.taken into minute, before from tenant_rates r where r.source_account_id = subject for update;
  if minute <= clock_timestamp() - interval '1 minute' or minute > clock_timestamp() then
    minute := clock_timestamp();
    before := 0;
  end if;
  granted := rate_share(wanted, per_minute - before);
  free := greatest(0, per_minute - before - granted);
  ms_left := greatest(0, floor(extract(epoch from minute + interval '1 minute' - clock_timestamp()) * 1000));
  if granted > 0 then
    update tenant_rates r set began = minute, taken = before + granted where r.source_account_id = subject;
  end if;
  return next;
end $$;

-- Keeps one of the tenant's places for a search until its transaction ends; a killed process frees it. None is written down:
-- they are advisory locks. Fails with CC429 where all are taken. The first that is tried is any, so that most need one try.
create function concordance.take_search_place(places int) returns void
language plpgsql volatile set search_path from current as $$
declare
  subject int := hashtext('concordance search ' || current_setting('app.source_account_id', true));
  first int := floor(random() * places);
begin
  for i in 0 .. places - 1 loop
    if pg_try_advisory_xact_lock(subject, (first + i) % places) then return; end if;
  end loop;
  raise exception 'all places are taken' using errcode = 'CC429';
end $$;
