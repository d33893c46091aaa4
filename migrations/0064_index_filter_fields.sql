-- Fields of the metadata that a tenant filters by, with their values beside the chunks' keys: a filter that few chunks pass is
-- answered by these few, in place of all. Declared by the operator (`concordance spaces index-field`): who declares none writes
-- no row more. What is found here is a necessary condition: the filter itself is asked of each chunk that is returned.
select set_config('search_path', concordance.function_path(), true);

create table concordance.filter_fields (
  source_account_id text not null check (source_account_id <> ''),
  field text collate "C" not null,          -- as a filter names it: author.name
  id int generated always as identity,
  path text collate "C" not null,           -- as a jsonpath prints it: ."author"."name"
  primary key (source_account_id, field),
  unique (source_account_id, id)
);
comment on table concordance.filter_fields is 'Fields of the metadata whose values are in filter_values.';

create table concordance.filter_values (
  source_account_id text not null,
  field_id int not null,
  value text collate "C" not null,          -- `filter_value`: ordered by bytes as jsonpath orders numbers and strings
  chunk_key bigint not null,
  primary key (source_account_id, field_id, value, chunk_key),
  foreign key (source_account_id, field_id) references concordance.filter_fields (source_account_id, id) on delete cascade,
  foreign key (source_account_id, chunk_key) references concordance.chunks (source_account_id, key) on delete cascade
);
comment on table concordance.filter_values is 'Values of filter_fields: one row a chunk and value; a list has one for each item.';
create index filter_values_chunk on concordance.filter_values (source_account_id, chunk_key);

alter table concordance.filter_fields enable row level security;
alter table concordance.filter_values enable row level security;
create policy tenant on concordance.filter_fields to concordance_app
  using (source_account_id = (select current_setting('app.source_account_id', true)));
create policy reader on concordance.filter_fields for select to concordance_reader
  using (source_account_id = (select concordance.current_tenant()));
create policy tenant on concordance.filter_values to concordance_app
  using (source_account_id = (select current_setting('app.source_account_id', true)));
create policy reader on concordance.filter_values for select to concordance_reader
  using (source_account_id = (select concordance.current_tenant()));
grant select on concordance.filter_fields to concordance_app, concordance_reader;
grant select, insert, delete on concordance.filter_values to concordance_app;
grant select on concordance.filter_values to concordance_reader;

-- A scalar of jsonb as a text that sorts by bytes as jsonpath compares: by type, numbers by size (a double's bits, those of
-- negative ones turned over), strings by code point. Two values that differ late are alike here: hence "necessary".
create function concordance.filter_value(scalar jsonb) returns text
language plpgsql immutable strict parallel safe set search_path from current as $$
declare
  number numeric;
  bits text;
begin
  case jsonb_typeof(scalar)
    when 'number' then
      number := scalar::numeric;
      -- A double ends at 1e308 and begins at 1e-308: beyond them the cast fails.
      number := case when abs(number) < 1e-300 then 0 else least(greatest(number, -1e300), 1e300) end;
      bits := encode(float8send(abs(number)::float8), 'hex');
      return case when number < 0 then 'n0' || translate(bits, '0123456789abcdef', 'fedcba9876543210') else 'n1' || bits end;
    when 'string' then return 's' || left(scalar #>> '{}', 100);
    when 'boolean' then return 'b' || scalar::text;
    when 'null' then return 'a';
    else return null;
  end case;
end $$;

-- What a chunk's metadata has in a field; `path` is `filter_fields.path`.
create function concordance.filter_values_of(metadata jsonb, path text) returns setof text
language sql immutable strict parallel safe rows 1 set search_path from current as $$
  select distinct filter_value(v)
    from jsonb_path_query(metadata, ('$' || path || '[*]')::jsonpath, '{}', true) v
   where jsonb_typeof(v) not in ('object', 'array')
$$;

create function concordance.note_filter_values() returns trigger
language plpgsql set search_path = pg_catalog, concordance, pg_temp as $$
begin
  if not exists (select from added a join filter_fields f using (source_account_id)) then return null; end if;
  if tg_op = 'UPDATE' then
    delete from filter_values v using added a where v.source_account_id = a.source_account_id and v.chunk_key = a.key;
  end if;
  insert into filter_values (source_account_id, field_id, value, chunk_key)
  select a.source_account_id, f.id, v.value, a.key
    from added a join filter_fields f using (source_account_id), filter_values_of(a.metadata, f.path) v (value)
   where a.searchable;
  return null;
end $$;

create trigger note_filter_values_added after insert on concordance.chunks
  referencing new table as added for each statement execute function concordance.note_filter_values();
create trigger note_filter_values_changed after update on concordance.chunks
  referencing new table as added for each statement execute function concordance.note_filter_values();

-- The owner's: declares a field of a tenant's and writes the values of what is there. Writers wait until it commits: one that
-- began before and knew of no such field would leave chunks that no filter finds.
create function concordance.index_filter_field(tenant text, named text) returns bigint
language plpgsql set search_path = pg_catalog, concordance, pg_temp as $$
declare
  field_path text := (select string_agg('.' || to_json(part), '' order by place)
                        from string_to_table(named, '.') with ordinality t (part, place));
  noted bigint;
begin
  lock table chunks in share row exclusive mode;
  field_path := substr(('$' || field_path)::jsonpath::text, 2);
  insert into filter_fields (source_account_id, field, path) values (tenant, named, field_path) on conflict do nothing;
  insert into filter_values (source_account_id, field_id, value, chunk_key)
  select tenant, f.id, v.value, c.key
    from filter_fields f
    join chunks c on c.source_account_id = tenant and c.searchable, filter_values_of(c.metadata, f.path) v (value)
   where f.source_account_id = tenant and f.field = named
  on conflict do nothing;
  get diagnostics noted = row_count;
  return noted;
end $$;
revoke execute on function concordance.index_filter_field from public;
