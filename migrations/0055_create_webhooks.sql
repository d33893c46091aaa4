-- Whoever is told that an upload is ready, failed or deleted (lib/webhooks). What is to be sent is written by the transaction that
-- publishes, fails or deletes: none of it is lost with a process, and nothing is sent of what was rolled back.
select set_config('search_path', concordance.function_path(), true);

create table concordance.webhook_endpoints (
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  id text collate "C" not null,
  url text not null,
  events text[] not null,
  secret text not null,                     -- `whsec_…`, as it is: the service signs with it
  wake_at timestamptz,                      -- when a message of the queue on AWS looks at what waits; null: none is under way
  silent_until timestamptz,                 -- it did not answer: until then nothing is sent to it
  created_at timestamptz not null default now(),
  disabled_at timestamptz,                  -- it answered 410
  primary key (source_account_id, id)
);
comment on table concordance.webhook_endpoints is 'Addresses that the operator registered for a tenant''s events.';

create table concordance.webhook_deliveries (
  source_account_id text not null default 'primary' check (source_account_id <> ''),
  id text collate "C" not null,             -- the header webhook-id, of every attempt
  endpoint_id text collate "C" not null,
  position bigint not null generated always as identity,
  event text not null,
  document_id text collate "C",
  body text not null,                       -- what is sent, byte for byte
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  next_attempt_at timestamptz not null default now(),  -- of a pending one; while `lease` is held, when that is over
  lease text,                               -- who sends it now
  last_status int,                          -- of HTTP; null when there was no answer
  last_error text,
  created_at timestamptz not null default now(),
  queued_at timestamptz not null default now(),        -- created, or replayed
  finished_at timestamptz,
  primary key (source_account_id, id),
  foreign key (source_account_id, endpoint_id) references concordance.webhook_endpoints on delete cascade
);
comment on table concordance.webhook_deliveries is 'Events on their way to an endpoint, and what became of them for 30 days.';

create index webhook_deliveries_due on concordance.webhook_deliveries (source_account_id, endpoint_id, position)
  where state = 'pending';
create index webhook_deliveries_old on concordance.webhook_deliveries (source_account_id, finished_at) where finished_at is not null;

-- Addresses and secrets are the operator's: the service reads its tenant's, and can neither add one nor change where it points.
-- People with a login of their own see neither table.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['webhook_endpoints', 'webhook_deliveries'] loop
    execute format('alter table concordance.%I enable row level security', table_name);
    execute format(
      'create policy tenant on concordance.%I to concordance_app
         using (source_account_id = (select current_setting(''app.source_account_id'', true)))', table_name);
  end loop;
end $$;
grant select, update (wake_at, silent_until, disabled_at) on concordance.webhook_endpoints to concordance_app;
grant select, insert, update, delete on concordance.webhook_deliveries to concordance_app;

-- One delivery for each endpoint that wants the event. Ids, counts and why it failed: no title, no content. A transaction whose
-- deletes make room for a restore sets `app.webhooks` to `off`: what it deletes is there again when it ends.
create function concordance.queue_webhooks(tenant text, event text, document text, facts jsonb) returns void
language sql volatile set search_path from current as $$
  insert into webhook_deliveries (source_account_id, id, endpoint_id, event, document_id, body)
  select tenant, 'msg_' || replace(gen_random_uuid()::text, '-', ''), e.id, event, document,
         jsonb_build_object('type', event,
           'timestamp', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'data', jsonb_strip_nulls(jsonb_build_object('source_account_id', tenant, 'document_id', document,
             'request_id', nullif(current_setting('app.request_id', true), '')) || facts))::text
    from webhook_endpoints e
   where e.source_account_id = tenant and event = any(e.events) and e.disabled_at is null
     and current_setting('app.webhooks', true) is distinct from 'off'
$$;

create function concordance.tell_job_ended() returns trigger
language plpgsql set search_path from current as $$
declare
  event text := case new.state when 'done' then 'document.ready' else 'document.failed' end;
begin
  if not exists (select from webhook_endpoints e where e.source_account_id = new.source_account_id) then return null; end if;
  perform queue_webhooks(new.source_account_id, event, new.document_id, jsonb_build_object(
      'generation', new.generation,
      'status', case new.state when 'done' then 'ready' else 'failed' end,
      'page_count', d.page_count,
      'chunks', (select count(*) from chunks c
                  where c.source_account_id = d.source_account_id and c.document_id = d.id and c.searchable),
      'error', case new.state when 'failed' then
         jsonb_build_object('code', coalesce(new.error_code, 'internal'), 'message', coalesce(new.error, '')) end))
    from documents d where d.source_account_id = new.source_account_id and d.id = new.document_id;
  return null;
end $$;

create trigger webhooks after update of state on concordance.ingest_jobs for each row
  when (new.state in ('done', 'failed') and old.state is distinct from new.state)
  execute function concordance.tell_job_ended();
-- A file that nobody asked for is a job that has failed from the start. A restore writes jobs of another time.
create trigger webhooks_refused after insert on concordance.ingest_jobs for each row
  when (new.state = 'failed' and new.created_at = now())
  execute function concordance.tell_job_ended();

-- Of uploads alone: who deletes what POST /index wrote knows it.
create function concordance.tell_document_deleted() returns trigger
language plpgsql set search_path from current as $$
begin
  perform queue_webhooks(new.source_account_id, 'document.deleted', new.id,
                         jsonb_build_object('generation', new.generation, 'status', 'deleted'))
    where exists (select from ingest_jobs j
                   where j.source_account_id = new.source_account_id and j.document_id = new.id and j.state <> 'superseded');
  return null;
end $$;

create trigger webhooks after update of status on concordance.documents for each row
  when (new.status = 'deleted' and old.status <> 'deleted')
  execute function concordance.tell_document_deleted();

-- When each endpoint of the tenant at work is to be sent to, of those for which something waits. One that was silent is left alone.
-- One to which somebody sends is left to him until his lease is over: it hears in order, and a slow one holds up one sender.
create function concordance.webhooks_due() returns table (endpoint_id text, due_at timestamptz)
language sql stable set search_path from current as $$
  select e.id, greatest(e.silent_until, coalesce(
           max(d.next_attempt_at) filter (where d.lease is not null and d.next_attempt_at > now()), min(d.next_attempt_at)))
    from webhook_endpoints e
    join webhook_deliveries d on d.source_account_id = e.source_account_id and d.endpoint_id = e.id
   where e.source_account_id = current_setting('app.source_account_id', true) and d.state = 'pending'
   group by e.source_account_id, e.id, e.silent_until
$$;

-- Of the tenant at work, or of all where the owner asks. Whoever waits behind others at a silent endpoint gets fewer attempts than
-- its schedule has, but as much time: four days.
create function concordance.age_webhooks() returns void
language sql volatile set search_path from current as $$
  update webhook_deliveries set state = 'failed', finished_at = now(), lease = null,
         last_error = coalesce(last_error, 'the endpoint did not answer what was sent before it')
   where state = 'pending' and next_attempt_at <= now() and queued_at < now() - interval '4 days';
  delete from webhook_deliveries where finished_at < now() - interval '30 days';
$$;

-- Seconds after which a message of the queue is to look at what waits, at most 900; null where nothing waits, or one will look
-- already. One that is a quarter of an hour late is counted as lost.
create function concordance.plan_webhook_wakeup() returns int
language sql volatile set search_path from current as $$
  with due as (
    select greatest(min(due_at), now()) as at from webhooks_due() having count(*) > 0),
  planned as (
    update webhook_endpoints e set wake_at = least(due.at, now() + interval '15 minutes') from due
     where e.source_account_id = current_setting('app.source_account_id', true) and e.disabled_at is null
       and (e.wake_at is null or e.wake_at < now() - interval '15 minutes' or e.wake_at > due.at + interval '1 second')
    returning e.wake_at)
  select ceil(extract(epoch from max(wake_at) - now()))::int from planned
$$;
