import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { deadlineIn } from "../deadline.ts"
import { findBundles } from "../documents/bundles/find-bundles.ts"
import type { IndexRequest } from "../documents/index-request.ts"
import { describeFile } from "../documents/ingest/fetch-upload.ts"
import { IngestOptions } from "../documents/ingest/upload.ts"
import { listFolder, readTextFile } from "../documents/read-folder.ts"
import type { Runtime } from "./open-runtime.ts"

/** The documents that a first start loads. */
const SAMPLES_FOLDER = fileURLToPath(new URL("../../samples", import.meta.url))
const TENANT = "primary"
/** What the slowest machine may take for forty short documents and a bundle of forty chunks, ms. */
const TIMEOUT_MS = 300_000

/** How many samples one start loaded. */
export interface LoadedSamples {
  /** Texts, searchable by now. */
  readonly indexed: number
  /** PDFs, whose pages are read in the background. */
  readonly queued: number
}

/**
 * Loads what is missing of `samples/` into a database that holds nothing else, so that a start that was ended meanwhile
 * is made good by the next. A document that was deleted has left a tombstone, and isn't missing.
 */
export async function loadSamples({
  owner,
  indexDocuments,
<<<<<<< HEAD
  ingest,
}: Pick<Runtime, "owner" | "indexDocuments" | "ingest">): Promise<LoadedSamples> {
  const texts = await listFolder(SAMPLES_FOLDER)
  const pdfs = await listFolder(SAMPLES_FOLDER, undefined, (name) => (name.endsWith(".pdf") ? null : "no PDF"))
  const known = new Set([...texts, ...pdfs].map(({ id }) => id))
  const rows = await owner.session((session) =>
    session.query<{ tenant: string; id: string }>(
      "select source_account_id as tenant, id from concordance.documents limit $1",
      [known.size + 1],
    ),
  )
  if (rows.some(({ tenant, id }) => tenant !== TENANT || !known.has(id))) return { indexed: 0, queued: 0 }
  const held = new Set(rows.map(({ id }) => id))

  const requests: IndexRequest[] = []
  for (const file of texts.filter(({ id }) => !held.has(id))) {
    const read = await readTextFile(file)
    if (typeof read !== "string") requests.push(read)
  }
  const outcomes = await indexDocuments(TENANT, requests, deadlineIn(TIMEOUT_MS))
  for (const outcome of outcomes) if ("failed" in outcome) throw outcome.failed
  // Last, for recognition would take the processor from what can be searched at once.
  const missing = pdfs.filter(({ id }) => !held.has(id))
  for (const { id, name, path } of missing) {
    const options = IngestOptions.parse({})
    await ingest.add(TENANT, { id, fileName: basename(name), options }, await describeFile(path))
  }
  return { indexed: outcomes.length, queued: missing.length }
=======
  importBundle,
}: Pick<Runtime, "owner" | "indexDocuments" | "importBundle">): Promise<number> {
  const held = await owner.session((session) => session.query("select 1 from concordance.documents limit 1"))
  if (held.length > 0) return 0
  const samples: IndexRequest[] = []
  for await (const sample of readFolder(SAMPLES_FOLDER)) samples.push(sample)
  const outcomes = await indexDocuments(TENANT, samples, deadlineIn(TIMEOUT_MS))
  for (const outcome of outcomes) if ("failed" in outcome) throw outcome.failed
  const bundles = await findBundles(SAMPLES_FOLDER)
  for (const { path } of bundles) await importBundle(TENANT, path)
  return outcomes.length + bundles.length
>>>>>>> refs/heads/merge
}
