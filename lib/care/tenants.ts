import type { OwnerDatabase, Row, Transaction } from "../database/database.ts"

/** A tenant that has rows. */
export interface TenantSummary {
  readonly tenant: string
  /** Deleted ones not counted. */
  readonly documents: number
  readonly chunks: number
}

/**
 * Names of all tables of the schema whose rows are a tenant's, from the catalog, so that a new one can't be forgotten; quoted
 * as SQL wants them.
 */
export async function tenantTables(session: Transaction): Promise<readonly string[]> {
  const rows = await session.query<{ name: string }>(`
    select quote_ident(c.relname)::text as name from pg_class c
     where c.relnamespace = 'concordance'::regnamespace and c.relkind in ('r', 'p')
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'source_account_id' and not a.attisdropped)
     order by 1`)
  return rows.map(({ name }) => name)
}

/** Every tenant that any table knows, in order of name. It reads every table. */
export async function listTenants(owner: OwnerDatabase): Promise<readonly TenantSummary[]> {
  return owner.session(async (session) => {
    const tables = await tenantTables(session)
    const known = tables.map((table) => `select source_account_id from concordance.${table}`).join(" union ")
    return session.query<TenantSummary & Row>(`
      select t.source_account_id as tenant,
             (select count(*)::int from concordance.documents d
               where d.source_account_id = t.source_account_id and d.status <> 'deleted') as documents,
             (select count(*)::int from concordance.chunks c where c.source_account_id = t.source_account_id) as chunks
        from (${known}) t order by t.source_account_id collate "C"`)
  })
}
