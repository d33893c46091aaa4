-- When a key was last let in, and which key it took over from.
alter table concordance.api_keys
  add column last_used_at timestamptz,
  add column rotated_from text unique references concordance.api_keys (id);

-- The service may say that the one key whose hash it knows was used, and that it was used now: no other row, no other
-- column, no other time.
grant update (last_used_at) on concordance.api_keys to concordance_app;
create policy used on concordance.api_keys for update to concordance_app
  using (key_hash = (select current_setting('app.api_key_hash', true)))
  with check (last_used_at = now());
