import type { Database } from "../../database/database.ts"
import { deletion } from "../documents.ts"

// What is being replaced now is not old. In order of age, so that a bound takes the oldest.
const EXPIRED = `
  status <> 'deleted' and updated_at < now() - $1::float8 * interval '1 day'
  and not exists (select from ingest_jobs j where j.document_id = d.id and j.state in ('queued', 'processing'))`

/**
 * Deletes documents of a tenant that nobody has replaced for `retentionDays`, the oldest first and at most `countMax`, as a
 * DELETE does: their objects are leftovers then (`find-leftovers.ts`). Each is looked at again under its lock, so that one
 * that is replaced at this moment stays. Returns the ids of those that went.
 */
export async function expireDocuments(
  database: Database,
  tenant: string,
  retentionDays: number,
  countMax: number,
): Promise<readonly string[]> {
  const text = `select id from documents d where ${EXPIRED} order by updated_at, id limit $2`
  const [rows = []] = await database.batch({ tenant }, [{ text, values: [retentionDays, countMax] }])
  const expired: string[] = []
  for (const { id } of rows) {
    const isGone = await database.transaction({ tenant }, async (transaction) => {
      const lock = `select 1 from documents d where id = $2 and ${EXPIRED} for update`
      if ((await transaction.query(lock, [retentionDays, String(id)])).length === 0) return false
      for (const { text: statement, values = [] } of deletion(String(id))) await transaction.query(statement, values)
      return true
    })
    if (isGone) expired.push(String(id))
  }
  return expired
}
