import { afterAll, beforeAll, expect, test } from "vitest"
import { openTestDatabase, type TestDatabase } from "./database.ts"

// What the catalog says of every object of ours, so that a new one cannot be forgotten.

let db: TestDatabase
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())

const query = (text: string) => db.owner.session((session) => session.query(text))

test("row-level security is on for every table, but for the migrations' own, which nobody else may read", async () => {
  const without = await query(`
    select relname::text as name from pg_class
     where relnamespace = 'concordance'::regnamespace and relkind in ('r', 'p') and not relrowsecurity`)
  expect(without).toEqual([{ name: "schema_migrations" }])
  const readers = await query(`
    select relname::text as name from pg_class
     where relnamespace = 'concordance'::regnamespace and relname in ('schema_migrations', 'plugin_upgrade', 'plugin_rows_left')
       and (has_table_privilege('concordance_app', oid, 'select,insert,update,delete')
         or has_table_privilege('concordance_reader', oid, 'select,insert,update,delete')
         or has_table_privilege('nself_user', oid, 'select,insert,update,delete'))`)
  expect(readers).toEqual([])
})

test("every policy compares the tenant, or the hash of a key, or who somebody is", async () => {
  const rules = await query(`
    select distinct roles::text as roles, qual, with_check from pg_policies where schemaname = 'concordance' order by 1, 2, 3`)
  const setting = (name: string) => `( SELECT current_setting('${name}'::text, true) AS current_setting)`
  const tenant = (whose: string) => `(source_account_id = ${whose})`
  expect(rules).toEqual([
    {
      roles: "{concordance_app}",
      qual: "(digest = ( SELECT tenant_digest(current_setting('app.source_account_id'::text, true)) AS tenant_digest))",
      with_check: null,
    },
    {
      roles: "{concordance_app}",
      qual: `(key_hash = ${setting("app.api_key_hash")})`,
      with_check: "(last_used_at = now())",
    },
    { roles: "{concordance_app}", qual: `(key_hash = ${setting("app.api_key_hash")})`, with_check: null },
    { roles: "{concordance_app}", qual: tenant(setting("app.source_account_id")), with_check: null },
    { roles: "{concordance_reader}", qual: "(role_name = SESSION_USER)", with_check: null },
    {
      roles: "{concordance_reader}",
      qual: tenant("( SELECT current_tenant() AS current_tenant)"),
      with_check: null,
    },
    { roles: "{nself_user}", qual: tenant("( SELECT hasura_tenant() AS hasura_tenant)"), with_check: null },
  ])
})

test("three functions run with their owner's power, on a path where the owner alone can create", async () => {
  const definers = await query(`
    select proname::text as name, proconfig[1] as path,
           has_function_privilege('public', oid, 'execute') as by_anybody,
           has_function_privilege('nself_user', oid, 'execute') as by_hasura
      from pg_proc where pronamespace = 'concordance'::regnamespace and prosecdef order by 1`)
  const guarded = { path: "search_path=pg_catalog, concordance, pg_temp", by_anybody: false, by_hasura: false }
  expect(definers).toEqual([
    { name: "lexical_candidates", ...guarded },
    { name: "matching_keys", ...guarded },
    // Only an index's owner may empty its pending list; it takes no argument and tells nothing.
    { name: "settle_lexemes", ...guarded },
  ])
})

test("every function fixes its search path, system first and temporary tables last, but the pure ones that are inlined", async () => {
  const functions = await query(`
    select proname::text as name, substr(proconfig[1], 13) as path, provolatile = 'i' and not prosecdef as pure
      from pg_proc where pronamespace = 'concordance'::regnamespace order by 1`)
  const loose = functions.filter(({ path }) => !/^pg_catalog, concordance,.* pg_temp$/.test(String(path)))
  expect(loose).toEqual([
    { name: "counted_terms", path: null, pure: true },
    { name: "function_path", path: "pg_catalog", pure: false },
    { name: "hash_dimension", path: null, pure: true },
    { name: "lexeme_dimension", path: null, pure: true },
    { name: "lexicon", path: null, pure: true },
    { name: "quote_lexeme", path: null, pure: true },
    { name: "scaled", path: null, pure: true },
  ])
})

test("PUBLIC has no right on the schema or anything that holds data in it, and nobody but the owner creates there", async () => {
  const rights = await query(`
    select 'schema' as what, grantee::regrole::text as who, privilege_type as may
      from pg_namespace, aclexplode(nspacl) where nspname = 'concordance' and (grantee = 0 or privilege_type = 'CREATE')
       and grantee <> nspowner
    union all
    select relname, grantee::regrole::text, privilege_type from pg_class, aclexplode(relacl)
     where relnamespace = 'concordance'::regnamespace and grantee = 0
    union all
    select attname, grantee::regrole::text, privilege_type from pg_attribute, aclexplode(attacl)
     where attrelid in (select oid from pg_class where relnamespace = 'concordance'::regnamespace) and grantee = 0`)
  expect(rights).toEqual([])
})

test("what is granted beyond reading: the service writes its tenants' rows, and nobody else writes", async () => {
  const writes = await query(`
    select grantee::text as who, table_name::text as on, string_agg(privilege_type, ', ' order by privilege_type) as may
      from information_schema.role_table_grants
     where table_schema = 'concordance' and privilege_type <> 'SELECT'
       and grantee in ('concordance_app', 'concordance_login', 'concordance_reader', 'nself_user', 'PUBLIC')
     group by 1, 2 order by 1, 2`)
  const all = "DELETE, INSERT, UPDATE"
  expect(writes).toEqual([
    { who: "concordance_app", on: "answer_tokens", may: "INSERT, UPDATE" }, // nobody takes a day's count away
    { who: "concordance_app", on: "chunks", may: all },
    { who: "concordance_app", on: "document_tables", may: all },
    { who: "concordance_app", on: "documents", may: all },
    { who: "concordance_app", on: "embedding_drafts", may: all },
    { who: "concordance_app", on: "embedding_spaces", may: "DELETE" }, // and by column: not its id
    { who: "concordance_app", on: "embeddings", may: all },
    { who: "concordance_app", on: "enrichments", may: all },
    { who: "concordance_app", on: "entities", may: all },
    { who: "concordance_app", on: "entity_mentions", may: all },
    { who: "concordance_app", on: "filter_values", may: "DELETE, INSERT" },
    { who: "concordance_app", on: "index_publications", may: all },
    { who: "concordance_app", on: "inference_tokens", may: "INSERT, UPDATE" },
    { who: "concordance_app", on: "ingest_jobs", may: all },
    { who: "concordance_app", on: "key_rates", may: "INSERT, UPDATE" },
    { who: "concordance_app", on: "lexeme_count_deltas", may: all },
    { who: "concordance_app", on: "lexeme_counts", may: all },
    { who: "concordance_app", on: "page_drafts", may: all },
    { who: "concordance_app", on: "pages", may: all },
    { who: "concordance_app", on: "search_feedback", may: "DELETE, INSERT" }, // nobody changes what was said
    { who: "concordance_app", on: "tenant_rates", may: "INSERT, UPDATE" },
    { who: "concordance_app", on: "upload_keys", may: all },
    { who: "concordance_app", on: "uploads", may: all },
    { who: "concordance_app", on: "usage_days", may: "INSERT, UPDATE" },
    { who: "concordance_app", on: "webhook_deliveries", may: all }, // of webhook_endpoints two columns: no address, no secret
  ])
})

test("the service's login owns nothing, has no power of its own, and may only become concordance_app", async () => {
  const [login] = await query(`
    select rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication or rolinherit as power,
           array(select roleid::regrole::text from pg_auth_members where member = r.oid) as may_become,
           array(select roleid::regrole::text from pg_auth_members where member = 'concordance_app'::regrole) as and_then,
           exists (select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = r.oid) as named_anywhere,
           has_schema_privilege(oid, 'concordance', 'usage') as sees_schema
      from pg_roles r where rolname = 'concordance_login'`)
  expect(login).toEqual({
    power: false,
    may_become: ["concordance_app"],
    and_then: [],
    named_anywhere: false,
    sees_schema: false,
  })
  const [others] = await query(`
    select count(*)::int as powerful from pg_roles
     where rolname in ('concordance_app', 'concordance_reader', 'nself_user')
       and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication or rolcanlogin)`)
  expect(others).toEqual({ powerful: 0 })
})
