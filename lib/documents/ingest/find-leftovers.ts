import type { Database } from "../../database/database.ts"

// A failed job has drafts where its worker was killed before it cleaned up. Shuffled: one that can't be removed keeps no
// other from its turn.
const LEFTOVERS = `
  select id from (
    select document_id as id from ingest_jobs where state = 'superseded'
    union select document_id from uploads where expires_at < now()
    union select document_id from ingest_jobs j where state = 'failed' and (
            exists (select from page_drafts p where p.source_account_id = j.source_account_id
                       and p.document_id = j.document_id and p.generation = j.generation)
            or exists (select from embedding_drafts e where e.source_account_id = j.source_account_id
                          and e.document_id = j.document_id and e.generation = j.generation))) leftovers
   order by random() limit $1`

/** Ids of a tenant's documents with something to remove (`clean-up.ts`), at most `countMax` of them, in no order. */
export async function findLeftovers(database: Database, tenant: string, countMax?: number): Promise<readonly string[]> {
  const [rows = []] = await database.batch({ tenant }, [{ text: LEFTOVERS, values: [countMax ?? null] }])
  return rows.map(({ id }) => String(id))
}
