import { join } from "node:path"
import { verify } from "../../lib/care/verify.ts"
import type { Database, OwnerDatabase } from "../../lib/database/database.ts"
import { openDatabase } from "../../lib/database/open-database.ts"
import { createLog } from "../../lib/log.ts"
import { createFilesystemStore } from "../../lib/objects/filesystem-store.ts"
import type { ObjectStore } from "../../lib/objects/object-store.ts"

/** Rows that no sequence of faults may leave and that `verify` lets pass, each query with its name: every one must come back empty. */
const WRONG: Readonly<Record<string, string>> = {
  "a place in a document given twice":
    "select document_id, ordinal from concordance.chunks where searchable group by source_account_id, document_id, ordinal having count(*) > 1",
  // No text of these tests says a sentence twice.
  "a chunk twice in a document":
    "select document_id, content_hash from concordance.chunks where searchable group by source_account_id, document_id, content_hash having count(*) > 1",
  "a served document without chunks": `
    select d.id from concordance.documents d where d.status = 'ready' and not exists
      (select from concordance.chunks c where c.source_account_id = d.source_account_id and c.document_id = d.id)`,
  // What waits or is worked on may have them; here nothing is any more.
  "drafts of nothing": `
    select document_id from (select document_id from concordance.page_drafts
      union all select document_id from concordance.embedding_drafts) drafts`,
  "work that nobody does":
    "select document_id, state from concordance.ingest_jobs where state in ('queued', 'processing')",
}

/** What is wrong, by name: what `verify` finds, and what only a test knows to be wrong. Empty where nothing is. */
export async function faultsOf(stores: {
  readonly database: Database
  readonly owner: OwnerDatabase
  readonly objects: ObjectStore
}): Promise<Record<string, unknown>> {
  // Nothing is under way: what looks unfinished is.
  const { problems } = await verify(
    { ...stores, log: createLog({ level: "error", write: () => {} }) },
    { olderThanMs: 0 },
  )
  const found: Record<string, unknown> = {}
  for (const problem of problems) found[`${problem.kind} of ${problem.tenant}`] = problem
  await stores.owner.session(async (session) => {
    for (const [name, text] of Object.entries(WRONG)) {
      const rows = await session.query(text)
      if (rows.length > 0) found[name] = rows
    }
  })
  return found
}

/** The same of a home on this disk that no process has open, or of one with its rows in the server at `url`. */
export async function faultsAt({ home, url }: { readonly home: string; readonly url?: string }) {
  const { database, owner } = await openDatabase({ home, url })
  try {
    return await faultsOf({ database, owner, objects: createFilesystemStore({ folder: join(home, "objects") }) })
  } finally {
    await Promise.all([database.close(), owner.close()])
  }
}
