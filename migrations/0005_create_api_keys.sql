-- API keys. Only the hash is stored; `*` among the tenants stands for every tenant.
create table concordance.api_keys (
  id text primary key,
  key_hash text not null unique,
  name text not null default '',
  tenants text[] not null,
  scopes text[] not null,
  rate_per_minute int,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
