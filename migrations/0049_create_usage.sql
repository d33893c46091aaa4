-- What a tenant has used, day by day (UTC). Processes add to it every few seconds (lib/usage/usage-meter.ts), so that no
-- request waits for its count. Tokens of answers stand in `answer_tokens` (0042).
select set_config('search_path', concordance.function_path(), true);

create table concordance.usage_days (
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  day date not null,
  searches bigint not null default 0,
  answers bigint not null default 0,
  embedded_tokens bigint not null default 0,
  documents bigint not null default 0,
  passages bigint not null default 0,
  pages bigint not null default 0,
  crops bigint not null default 0,
  primary key (source_account_id, day)
);

-- Tokens that the embedding model read for requests that a day's limit holds for (INFERENCE_TOKENS_PER_DAY), taken before they
-- are used, as 0042 has it for answers: a limit has to be exact, a count may come later.
create table concordance.inference_tokens (
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  day date not null,
  tokens bigint not null,   -- taken and not given back
  primary key (source_account_id, day)
);

do $$
declare
  table_name text;
begin
  foreach table_name in array array['usage_days', 'inference_tokens'] loop
    execute format('alter table concordance.%I enable row level security', table_name);
    execute format(
      'create policy tenant on concordance.%I to concordance_app
         using (source_account_id = (select current_setting(''app.source_account_id'', true)))', table_name);
    execute format(
      'create policy reader on concordance.%I for select to concordance_reader
         using (source_account_id = (select concordance.current_tenant()))', table_name);
    execute format('grant select, insert, update on concordance.%I to concordance_app', table_name);
    execute format('grant select on concordance.%I to concordance_reader', table_name);
  end loop;
end $$;

-- As `take_answer_tokens` (0042), of another table.
create function concordance.take_inference_tokens(at_least bigint, wanted bigint, day_max bigint)
returns table (granted bigint, of_day date, seconds_left int)
language plpgsql volatile set search_path from current as $$
declare
  tenant text := current_setting('app.source_account_id', true);
  today date := (clock_timestamp() at time zone 'utc')::date;
  before bigint;
begin
  insert into inference_tokens (source_account_id, day, tokens) values (tenant, today, 0) on conflict do nothing;
  select t.tokens into before from inference_tokens t where t.source_account_id = tenant and t.day = today for update;
  granted := case when before + at_least <= day_max then least(wanted, day_max - before) else 0 end;
  if granted > 0 then
    update inference_tokens t set tokens = before + granted where t.source_account_id = tenant and t.day = today;
  end if;
  of_day := today;
  seconds_left := ceil(extract(epoch from ((today + 1)::timestamp - (clock_timestamp() at time zone 'utc'))));
  return next;
end $$;

create function concordance.settle_inference_tokens(of_day date, difference bigint) returns void
language sql volatile set search_path from current as $$
  update inference_tokens set tokens = greatest(0, tokens + difference)
   where source_account_id = current_setting('app.source_account_id', true) and day = of_day
$$;
