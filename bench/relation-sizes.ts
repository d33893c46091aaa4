import type { OwnerDatabase } from "../lib/database/database.ts"

/** Size of each table of chunks and vectors with what it holds out of line, and of each index, MB; those of 1 MB and more. */
export async function readRelationSizes(owner: OwnerDatabase): Promise<Record<string, number>> {
  const rows = await owner.session((session) =>
    session.query<{ name: string; mb: number }>(`
      select c.relname as name,
             round((pg_relation_size(c.oid) + coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0)) / 1e6)::float8 as mb
        from pg_class c
       where c.relnamespace = 'concordance'::regnamespace and c.relkind in ('r', 'i') and pg_relation_size(c.oid) >= 1e6
       order by mb desc, name`),
  )
  return Object.fromEntries(rows.map(({ name, mb }) => [name, mb]))
}
