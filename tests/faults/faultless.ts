import { DISAGREEMENTS } from "../word-counts.ts"

/** Rows that no sequence of faults may leave, each query with its name: every one must come back empty. */
const WRONG: Readonly<Record<string, string>> = {
  "counts that differ from the chunks": DISAGREEMENTS,
  "a place in a document given twice":
    "select document_id, ordinal from concordance.chunks where searchable group by source_account_id, document_id, ordinal having count(*) > 1",
  "a chunk twice in a document":
    "select document_id, content_hash from concordance.chunks where searchable group by source_account_id, document_id, content_hash having count(*) > 1",
  "chunks without their document": `
    select c.document_id from concordance.chunks c
      left join concordance.documents d on d.source_account_id = c.source_account_id and d.id = c.document_id
     where d.id is null or d.status = 'deleted'`,
  "a served document without chunks": `
    select d.id from concordance.documents d where d.status = 'ready' and not exists
      (select from concordance.chunks c where c.source_account_id = d.source_account_id and c.document_id = d.id)`,
  "drafts of nothing": `
    select document_id from (select document_id from concordance.page_drafts
      union all select document_id from concordance.embedding_drafts) drafts`,
  "work that nobody does":
    "select document_id, state from concordance.ingest_jobs where state in ('queued', 'processing')",
}

/** What is wrong in a database, by name. Empty where nothing is. */
export async function faultsOf(query: (text: string) => Promise<unknown[]>): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const [name, text] of Object.entries(WRONG)) {
    const rows = await query(text)
    if (rows.length > 0) found[name] = rows
  }
  return found
}
