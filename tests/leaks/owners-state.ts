import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { LeakWorld } from "./open-world.ts"

/** A digest of each table's rows of a tenant, whole rows and every table that has tenants, and of each of its objects. */
export async function stateOf(world: LeakWorld, tenant: string): Promise<Readonly<Record<string, string>>> {
  // Counts what was used until now: left waiting, what the tenant itself had asked would be counted between two looks.
  await world.served.runtime.readUsage(tenant, {})
  const tables = await world.query(`
    select table_name::text as name from information_schema.columns
     where table_schema = 'concordance' and column_name = 'source_account_id'
       and table_name in (select relname from pg_class where relnamespace = 'concordance'::regnamespace and relkind in ('r', 'p'))
     order by 1`)
  const state: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await world.query(`
      select count(*)::int as rows, md5(string_agg(t::text, '|' order by t::text)) as digest
        from concordance.${String(name)} t where source_account_id = '${tenant}'`)
    state[String(name)] = `${String(row?.["rows"])} rows ${String(row?.["digest"])}`
  }
  const folder = join(world.served.runtime.tempFolder, "..", "objects")
  for (const path of await readdir(folder, { recursive: true })) {
    if (!path.split("/").includes(tenant)) continue
    const bytes = await readFile(join(folder, path)).catch(() => null)
    if (bytes) state[path] = createHash("sha256").update(bytes).digest("hex")
  }
  return state
}
