-- A model takes another's place while searches and writes go on (ADR 22). What makes a space's vectors stands with it; the
-- one active space that has this is the tenant's model, whatever the settings of a process name.
select set_config('search_path', concordance.function_path(), true);

alter table concordance.embedding_spaces
  add column opening jsonb check (jsonb_typeof(opening) = 'object'),   -- how to open the model; null: callers', or as the settings say
  add column state_since timestamptz not null default now();
comment on column concordance.embedding_spaces.opening is
  'How a process opens the model that makes these vectors: name, profile, URLs, dimensions. Never a key.';

-- One model a tenant at any moment.
create unique index embedding_spaces_model on concordance.embedding_spaces (source_account_id)
  where state = 'active' and opening is not null;

-- As before, but that a retired space is compared in by who names its model: a process that hasn't heard of the new one
-- yet, or is still opening it, finds by the old one until then.
create or replace function concordance.comparable_space(nearest_to halfvec, model text) returns int
language plpgsql stable set search_path from current as $$
begin
  return (
    select s.id from embedding_spaces s
     where s.dimensions = vector_dims(nearest_to)
       and case when comparable_space.model is null then s.state = 'active'
                else s.model = comparable_space.model and s.state <> 'building' end
     order by s.model like 'caller:%' desc, s.id limit 1);
end $$;

-- What each space that a model fills lacks: the chunks whose vectors a model makes and that have none there. A chunk that
-- came with its caller's vector is found by that, and so is a document whose chunks have no others.
create view concordance.chunks_to_embed with (security_invoker = true) as
  select s.source_account_id, s.id as space_id, c.key, c.document_id
    from concordance.embedding_spaces s
    join concordance.chunks c on c.source_account_id = s.source_account_id and c.searchable
   where s.opening is not null
     and not exists (select from concordance.embeddings e
           where e.source_account_id = c.source_account_id and e.chunk_key = c.key and e.space_id = s.id)
     and not exists (select from concordance.embeddings e
           join concordance.embedding_spaces o on o.source_account_id = e.source_account_id and o.id = e.space_id
           where e.source_account_id = c.source_account_id and e.chunk_key = c.key and o.opening is null)
     and (exists (select from concordance.embeddings e
            where e.source_account_id = c.source_account_id and e.chunk_key = c.key)
       or not exists (select from concordance.chunks n
            join concordance.embeddings e on e.source_account_id = n.source_account_id and e.chunk_key = n.key
            join concordance.embedding_spaces o on o.source_account_id = e.source_account_id and o.id = e.space_id
            where n.source_account_id = c.source_account_id and n.document_id = c.document_id and o.opening is null));
comment on view concordance.chunks_to_embed is 'Chunks that a space still lacks, for whoever fills it.';
grant select on concordance.chunks_to_embed to concordance_app;
