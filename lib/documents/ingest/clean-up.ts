import type { Database } from "../../database/database.ts"
import type { Log } from "../../log.ts"
import { documentPrefixes, pagesPrefix, tenantPrefixes } from "../../objects/object-key.ts"
import type { ObjectStore } from "../../objects/object-store.ts"

const JOBS = `
  select document_id, generation::text as generation, state, upload_key from ingest_jobs where $1::text is null or document_id = $1`
const EXPECTED = `
  select key, expires_at < now() as expired from uploads where $1::text is null or document_id = $1`
const IMAGES = `
  select image_key as key from pages where image_key = any($1::text[]) and ($2::text is null or document_id = $2)
  union all
  select image_key from chunks
   where image_key is not null and image_key = any($1::text[]) and ($2::text is null or document_id = $2)`
const SUPERSEDED = `
  select generation::text as generation from ingest_jobs where document_id = $1 and state = 'superseded'`
const EXPIRED = "select key from uploads where document_id = $1 and expires_at < now()"

// Their drafts go with them.
const REMOVE_JOBS = `
  delete from ingest_jobs where document_id = $1 and generation = any($2::bigint[]) and state = 'superseded'`
const REMOVE_FAILED_DRAFTS = `
  with failed as (
    select source_account_id, document_id, generation from ingest_jobs where document_id = $1 and state = 'failed'),
  no_pages as (delete from page_drafts p using failed f where p.source_account_id = f.source_account_id
                  and p.document_id = f.document_id and p.generation = f.generation)
  delete from embedding_drafts e using failed f where e.source_account_id = f.source_account_id
     and e.document_id = f.document_id and e.generation = f.generation`

// A language model's notes stay as long as a file's version is served or on its way: the next upload may use them.
const REMOVE_NOTES = `
  delete from enrichments where document_id = $1 and not exists (select from ingest_jobs j where j.document_id = $1)`

interface CleanUpParts {
  readonly database: Database
  readonly objects: ObjectStore
}

interface JobRow {
  readonly document_id: string
  readonly generation: string
  readonly state: string
  readonly upload_key: string
}

/**
 * Removes what earlier versions of a document left: objects that no row names, drafts, jobs that were superseded. Objects
 * go before the rows that tell of them, so that a run that is killed or aborted is repeated by the next.
 */
async function cleanUpDocument(parts: CleanUpParts, tenant: string, id: string, signal?: AbortSignal): Promise<void> {
  const { database } = parts
  // Before the listing: of what is marked after it, some objects may have been passed over as needed.
  const [superseded = [], expired = []] = await database.batch({ tenant }, [
    { text: SUPERSEDED, values: [id] },
    { text: EXPIRED, values: [id] },
  ])
  await removeOrphans(parts, tenant, id, signal)
  await database.batch({ tenant }, [
    { text: REMOVE_JOBS, values: [id, superseded.map(({ generation }) => String(generation))] },
    { text: REMOVE_FAILED_DRAFTS, values: [id] },
    { text: REMOVE_NOTES, values: [id] },
    {
      text: "delete from uploads where key = any($1::text[]) and expires_at < now()",
      values: [expired.map(({ key }) => String(key))],
    },
  ])
}

/**
 * Removes every object of a tenant that no row names: what a worker stored for a job that was deleted under it, if it
 * was killed before it noticed. Reads the whole list of the tenant's objects. Returns how many it removed.
 */
export function sweepTenant(parts: CleanUpParts, tenant: string): Promise<number> {
  return removeOrphans(parts, tenant, null)
}

/** Objects that are looked up and deleted together: what S3 lists and deletes in one request. */
const KEYS_PER_LOOK = 1_000

/** Removes the objects of a document, or of all of them, that no row names. Returns how many; throws the signal's reason. */
async function removeOrphans(
  parts: CleanUpParts,
  tenant: string,
  id: string | null,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  for await (const orphans of findOrphans(parts, tenant, id, signal)) {
    await parts.objects.delete(orphans)
    removed += orphans.length
  }
  return removed
}

/**
 * Keys of the objects of a document, or with null of a tenant, that no row names and no work under way needs: page after
 * page of the listing. Throws the signal's reason.
 */
export async function* findOrphans(
  { database, objects }: Pick<CleanUpParts, "database" | "objects">,
  tenant: string,
  id: string | null,
  signal?: AbortSignal,
): AsyncGenerator<readonly string[]> {
  let keys: string[] = []
  const look = async (): Promise<readonly string[]> => {
    signal?.throwIfAborted()
    // Read after the keys were listed: what a job of after the listing stores isn't among them.
    const [jobs = [], expected = [], images = []] = await database.batch({ tenant }, [
      { text: JOBS, values: [id] },
      { text: EXPECTED, values: [id] },
      { text: IMAGES, values: [keys, id] },
    ])
    const isNeeded = needed(tenant, jobs as unknown as JobRow[], expected as unknown as ExpectedRow[])
    const served = new Set(images.map(({ key }) => String(key)))
    const orphans = keys.filter((key) => !served.has(key) && !isNeeded(key))
    keys = []
    return orphans
  }
  for (const prefix of id === null ? tenantPrefixes(tenant) : documentPrefixes(tenant, id)) {
    for await (const { key } of objects.list(prefix)) {
      if (keys.push(key) === KEYS_PER_LOOK) yield await look()
    }
  }
  if (keys.length > 0) yield await look()
}

interface ExpectedRow {
  readonly key: string
  readonly expired: boolean
}

/** Whether a key is an upload that somebody reads or expects, or belongs to a job under way. */
function needed(tenant: string, jobs: readonly JobRow[], expected: readonly ExpectedRow[]): (key: string) => boolean {
  const uploads = new Set(expected.filter(({ expired }) => !expired).map(({ key }) => key))
  const underway = new Set<string>()
  for (const { document_id, generation, state, upload_key } of jobs) {
    if (state === "superseded" || state === "failed") continue
    uploads.add(upload_key)
    if (state !== "done") underway.add(pagesPrefix(tenant, document_id, Number(generation)))
  }
  return (key) => uploads.has(key) || underway.has(key.slice(0, key.lastIndexOf("/") + 1))
}

/**
 * The same for whoever doesn't wait for it: what it leaves is marked in the database, and the next sweep removes it. Never
 * throws, and returns when `signal` aborts, whatever the store does.
 */
export function createCleanUp(parts: CleanUpParts & { readonly log: Log }) {
  return async (tenant: string, documentId: string, signal?: AbortSignal): Promise<void> => {
    const work = cleanUpDocument(parts, tenant, documentId, signal)
    await Promise.race(signal ? [work, aborted(signal)] : [work]).catch((error: unknown) => {
      parts.log.warn("leftovers of a document could not be removed yet", { error })
    })
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
}
