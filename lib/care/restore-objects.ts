import { stat } from "node:fs/promises"
import { join } from "node:path"
import type { Database } from "../database/database.ts"
import { requireObjectKey } from "../objects/object-key.ts"
import type { ObjectStore } from "../objects/object-store.ts"
import { inGroups } from "./copy-objects.ts"
import { OBJECTS_FOLDER, ObjectLine } from "./export-format.ts"
import { fileDigest, readLines } from "./line-files.ts"
import { movedKey } from "./moved-keys.ts"
import { refusedExport } from "./read-export.ts"
import type { RestorePlan } from "./restore-rows.ts"

/** Objects stored side by side. */
const AT_ONCE = 8

/**
 * Keeps a picture from being tidied away before its row is there, for a day: a restore that was killed leaves no more than
 * objects that the next sweep removes.
 */
const CLAIM = `
  insert into uploads (source_account_id, key, document_id, expires_at)
  select $1, key, document_id, now() + interval '1 day'
    from jsonb_to_recordset($2::text::jsonb) as r(key text, document_id text) where not starts_with(key, 'uploads/')
  on conflict (source_account_id, key) do update set expires_at = excluded.expires_at`

// A bucket tells of what is put under uploads/: it must be known by then, or it would be refused as a stranger's file.
const ANNOUNCE = `
  insert into upload_keys (source_account_id, key, document_id)
  select $1, key, document_id
    from jsonb_to_recordset($2::text::jsonb) as r(key text, document_id text) where starts_with(key, 'uploads/')
  on conflict (source_account_id, key) do update set announced = true`

/** What was put where; of an upload without its digest in its key, the version that its job is to name. */
export interface RestoredObjects {
  readonly stored: number
  /** Named by a row, and neither in the export nor in the store. */
  readonly missing: number
  readonly versions: ReadonlyMap<string, readonly { readonly key: string; readonly version: string }[]>
}

/**
 * Holds every file of an export against the list: nothing is written yet. Throws `invalid_request` for one that is missing
 * or another.
 */
export async function checkObjects({ folder, manifest, moves, signal }: RestorePlan): Promise<void> {
  if (!manifest.objects.included) return
  for await (const some of inGroups(objectLines(folder, manifest.objects.file), AT_ONCE)) {
    signal?.throwIfAborted()
    await Promise.all(
      some.map(async ({ key, sha256, source_account_id }) => {
        if (sha256 === null || !moves.has(source_account_id)) return
        const path = join(folder, OBJECTS_FOLDER, ...requireObjectKey(key))
        if (!(await stat(path).catch(() => null))) throw refusedExport(`${OBJECTS_FOLDER}/${key} is missing`)
        if ((await fileDigest(path)) !== sha256)
          throw refusedExport(`${OBJECTS_FOLDER}/${key} has another checksum than its list says`)
      }),
    )
  }
}

/**
 * Stores the objects of an export under their keys here, and notes in `added` which were not there before. What is there
 * with the right size stays.
 */
export async function restoreObjects(
  { database, objects }: { readonly database: Database; readonly objects: ObjectStore },
  plan: RestorePlan,
  added: string[],
): Promise<RestoredObjects> {
  const { folder, manifest, moves, onProgress, signal } = plan
  let stored = 0
  let missing = 0
  const versions = new Map<string, { key: string; version: string }[]>()
  const isPut = async ({ key, to, sha256, bytes, content_type }: ObjectLine & { readonly to: string }) => {
    const there = await objects.head(to)
    if (there !== null && (sha256 === null || there.bytes === bytes)) return true
    if (!manifest.objects.included || sha256 === null) return false
    if (there === null) added.push(to)
    await objects.putFile(to, join(folder, OBJECTS_FOLDER, ...requireObjectKey(key)), content_type)
    return true
  }
  for await (const lines of inGroups(objectLines(folder, manifest.objects.file), AT_ONCE)) {
    signal?.throwIfAborted()
    const wanted = lines.flatMap((line) => {
      const move = moves.get(line.source_account_id)
      return move ? [{ ...line, tenant: move.tenant, to: movedKey(line.key, line.document_id, move) }] : []
    })
    await claim(database, wanted)
    await Promise.all(
      wanted.map(async (line) => {
        if (await isPut(line)) stored++
        else missing++
        // A key that ends with a digest can't hold other bytes; of any other the version tells.
        if (!line.to.startsWith("uploads/") || /\/[0-9a-f]{64}$/.test(line.to)) return
        const version = (await objects.head(line.to))?.version
        if (version !== undefined) append(versions, line.tenant, { key: line.to, version })
      }),
    )
    onProgress?.("objects", stored + missing)
  }
  return { stored, missing, versions }
}

async function claim(
  database: Database,
  wanted: readonly { readonly tenant: string; readonly to: string; readonly document_id: string }[],
): Promise<void> {
  for (const tenant of new Set(wanted.map((line) => line.tenant))) {
    const keys = wanted
      .filter((line) => line.tenant === tenant)
      .map(({ to: key, document_id }) => ({ key, document_id }))
    const values = [tenant, JSON.stringify(keys)]
    await database.batch({ tenant }, [
      { text: CLAIM, values },
      { text: ANNOUNCE, values },
    ])
  }
}

function append<T>(lists: Map<string, T[]>, name: string, item: T): void {
  const list = lists.get(name)
  if (list) list.push(item)
  else lists.set(name, [item])
}

async function* objectLines(folder: string, file: string): AsyncGenerator<ObjectLine> {
  let number = 0
  for await (const line of readLines(join(folder, file))) {
    number++
    const parsed = ObjectLine.safeParse(jsonOf(line))
    if (!parsed.success) throw refusedExport(`${file}, line ${number}, names no object`)
    yield parsed.data
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
