-- Tokens that a tenant's answers took of the language model, day by day (UTC). All processes share them, so that the day's
-- limit is one limit: a request takes its share before it asks the model, and gives back what it didn't use.
select set_config('search_path', concordance.function_path(), true);

create table concordance.answer_tokens (
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  day date not null,
  tokens bigint not null,   -- taken and not given back
  primary key (source_account_id, day)
);

alter table concordance.answer_tokens enable row level security;
create policy tenant on concordance.answer_tokens to concordance_app
  using (source_account_id = (select current_setting('app.source_account_id', true)));
create policy reader on concordance.answer_tokens for select to concordance_reader
  using (source_account_id = (select concordance.current_tenant()));
grant select, insert, update on concordance.answer_tokens to concordance_app;
grant select on concordance.answer_tokens to concordance_reader;

-- Takes as much of today's tokens as is left, at most `wanted`, or nothing where that is less than `at_least`. One statement
-- adds and checks, so that two requests never take the same tokens. Returns how many, of which day, and how many seconds
-- that day still has.
create function concordance.take_answer_tokens(at_least bigint, wanted bigint, day_max bigint)
returns table (granted bigint, of_day date, seconds_left int)
language plpgsql volatile set search_path from current as $$
declare
  tenant text := current_setting('app.source_account_id', true);
  today date := (clock_timestamp() at time zone 'utc')::date;
  before bigint;
begin
  insert into answer_tokens (source_account_id, day, tokens) values (tenant, today, 0) on conflict do nothing;
  -- The lock of this row orders whoever takes at once.
  select t.tokens into before from answer_tokens t where t.source_account_id = tenant and t.day = today for update;
  granted := case when before + at_least <= day_max then least(wanted, day_max - before) else 0 end;
  if granted > 0 then
    update answer_tokens t set tokens = before + granted where t.source_account_id = tenant and t.day = today;
  end if;
  of_day := today;
  seconds_left := ceil(extract(epoch from ((today + 1)::timestamp - (clock_timestamp() at time zone 'utc'))));
  return next;
end $$;

-- Adds to a day what was used beyond what was taken, or, below 0, gives back what was not.
create function concordance.settle_answer_tokens(of_day date, difference bigint) returns void
language sql volatile set search_path from current as $$
  update answer_tokens set tokens = greatest(0, tokens + difference)
   where source_account_id = current_setting('app.source_account_id', true) and day = of_day
$$;
