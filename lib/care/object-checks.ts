import type { Database, OwnerDatabase } from "../database/database.ts"
import { scopeStatement } from "../database/scope.ts"
import { tenantPrefixes } from "../objects/object-key.ts"
import type { ObjectStore } from "../objects/object-store.ts"

/** A key that a row names, and whose row it is. */
interface NamedKey {
  readonly key: string
  readonly documentId: string
}

/**
 * Keys that a tenant's rows name: pictures of pages and of chunks, and the files of uploads that are served, wait or are
 * read. Each has `key` and `id`, its document.
 */
const NAMED_KEYS = `
  select image_key as key, document_id as id from pages where image_key is not null
  union all select image_key, document_id from chunks where image_key is not null
  union all select upload_key, document_id from ingest_jobs where state in ('queued', 'processing', 'done')`

const ROWS_PER_FETCH = 1_000
/** Missing objects that are asked for once more, side by side. */
const HEADS_AT_ONCE = 16

/** Both in order of bytes: one pass over the two finds what the listing lacks, whatever their number. */
async function* absentFrom(
  listed: AsyncIterable<{ readonly key: string }>,
  named: AsyncIterable<NamedKey>,
): AsyncGenerator<NamedKey> {
  const keys = listed[Symbol.asyncIterator]()
  let next = await keys.next()
  for await (const wanted of named) {
    while (!next.done && next.value.key < wanted.key) next = await keys.next()
    if (next.done || next.value.key !== wanted.key) yield wanted
  }
}

interface Stores {
  readonly database: Database
  readonly owner: OwnerDatabase
  readonly objects: ObjectStore
}

/**
 * What a tenant's rows name and the store doesn't have. A key is asked for once more at the end, of the store and of the
 * rows: what was replaced or stored meanwhile is not missing.
 */
export async function findMissingObjects(stores: Stores, tenant: string): Promise<readonly NamedKey[]> {
  const suspects = await stores.owner.session((session) =>
    session.transaction(async () => {
      const scope = scopeStatement({ tenant })
      await session.query("set transaction isolation level repeatable read, read only")
      await session.query(scope.text, scope.values)
      const found: NamedKey[] = []
      for (const prefix of tenantPrefixes(tenant)) {
        await session.query(
          `declare named no scroll cursor for
             select distinct key collate "C" as key, id from (${NAMED_KEYS}) n where starts_with(key, $1) order by 1`,
          [prefix],
        )
        const named = async function* (): AsyncGenerator<NamedKey> {
          for (;;) {
            const rows = await session.query<{ key: string; id: string }>(`fetch ${ROWS_PER_FETCH} from named`)
            for (const { key, id } of rows) yield { key, documentId: id }
            if (rows.length < ROWS_PER_FETCH) return
          }
        }
        for await (const absent of absentFrom(stores.objects.list(prefix), named())) found.push(absent)
        await session.query("close named")
      }
      return found
    }),
  )
  return stillMissing(stores, tenant, suspects)
}

async function stillMissing({ database, objects }: Stores, tenant: string, suspects: readonly NamedKey[]) {
  const missing: NamedKey[] = []
  for (let i = 0; i < suspects.length; i += ROWS_PER_FETCH) {
    const some = suspects.slice(i, i + ROWS_PER_FETCH)
    const values = [some.map(({ key }) => key)]
    const text = `select key from (${NAMED_KEYS}) n where key = any($1::text[])`
    const [rows = []] = await database.batch({ tenant }, [{ text, values }])
    const named = new Set(rows.map(({ key }) => String(key)))
    const left = some.filter(({ key }) => named.has(key))
    for (let j = 0; j < left.length; j += HEADS_AT_ONCE) {
      const asked = left.slice(j, j + HEADS_AT_ONCE)
      const heads = await Promise.all(asked.map(({ key }) => objects.head(key)))
      missing.push(...asked.filter((_, k) => heads[k] === null))
    }
  }
  return missing
}

/** Number of objects in the folders of tenants that have no rows. Keys of another make are nobody's either. */
export async function countObjectsOfNobody(objects: ObjectStore, tenants: readonly string[]): Promise<number> {
  const known = new Set(tenants.flatMap(tenantPrefixes))
  let count = 0
  for await (const { key } of objects.list("")) {
    if (!known.has(`${key.split("/").slice(0, 2).join("/")}/`)) count++
  }
  return count
}

/** The same of the tenants `$1`, as JSON lines for the owner: `line` has the tenant, the document and the key, once each. */
export const NAMED_KEYS_OF = `
  select jsonb_build_object('source_account_id', n.source_account_id, 'document_id', min(n.id), 'key', n.key)::text as line
    from (select source_account_id, image_key as key, document_id as id from pages where image_key is not null
          union all select source_account_id, image_key, document_id from chunks where image_key is not null
          union all select source_account_id, upload_key, document_id from ingest_jobs
                     where state in ('queued', 'processing', 'done')) n
   where n.source_account_id = any($1::text[]) group by n.source_account_id, n.key order by n.source_account_id, n.key`
