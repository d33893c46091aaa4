-- Tenants that were erased, by the SHA-256 of their names: what of a bucket's events or a worker's writes comes late is told
-- by it, and the name itself stays nowhere.
select set_config('search_path', concordance.function_path(), true);

create table concordance.erased_tenants (
  digest text collate "C" primary key,   -- hexadecimal
  erased_at timestamptz not null default now()
);
comment on table concordance.erased_tenants is 'Digests of the names of tenants that were erased.';

create function concordance.tenant_digest(tenant text) returns text
language sql immutable strict parallel safe set search_path from current as $$
  select encode(sha256(convert_to(tenant, 'UTF8')), 'hex')
$$;

-- A tenant sees whether it was erased itself.
alter table concordance.erased_tenants enable row level security;
create policy own on concordance.erased_tenants for select to concordance_app
  using (digest = (select concordance.tenant_digest(current_setting('app.source_account_id', true))));
grant select on concordance.erased_tenants to concordance_app;
