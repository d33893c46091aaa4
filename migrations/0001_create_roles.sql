-- Roles, extensions and the schema that holds everything of ours.
--
-- `concordance_app`     what every unit of work of the service becomes; it owns nothing and row-level security binds it.
-- `concordance_login`   what the service logs in as; it may only become `concordance_app`. No password: set one to use it.
-- `concordance_reader`  for people who query the database directly; `role_tenants` says which tenants each may see.
--
-- Roles belong to the cluster, so another database, or another start at this moment, may have made them already.

create schema if not exists concordance;

create extension if not exists vector with schema public;
create extension if not exists unaccent with schema public;
create extension if not exists btree_gin with schema public;

do $$ begin create role concordance_app nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role concordance_reader nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role concordance_login login noinherit; exception when duplicate_object or unique_violation then null; end $$;

-- An owner that is not a superuser can only become a role that it was granted.
do $$ begin
  if not pg_has_role(current_user, 'concordance_app', 'member') then
    execute format('grant concordance_app to %I', current_user);
  end if;
  if not pg_has_role('concordance_login', 'concordance_app', 'member') then
    grant concordance_app to concordance_login;
  end if;
end $$;

grant usage on schema concordance to concordance_app, concordance_reader;

-- The search path of every function of ours: system first and temporary tables last, so that nobody can put a table or
-- an operator in front of ours. The extensions may have been installed elsewhere than in `public` (Supabase does).
-- What can run with the owner's power goes without their schema, whoever may create there: a `cardinality(bigint[])` of
-- theirs fits better than the `cardinality(anyarray)` of the system, so that being first on the path is not enough.
create function concordance.function_path() returns text language sql stable set search_path = pg_catalog as $$
  select 'pg_catalog, concordance, '
      || (select string_agg(distinct quote_ident(n.nspname), ', ')
            from pg_extension e join pg_namespace n on n.oid = e.extnamespace
           where e.extname in ('vector', 'unaccent', 'btree_gin') and n.nspname not in ('pg_catalog', 'concordance'))
      || ', pg_temp'
$$;
