import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { deadlineIn } from "../deadline.ts"
import { findBundles } from "../documents/bundles/find-bundles.ts"
import { readBundleIndex } from "../documents/bundles/read-bundle.ts"
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
  /** Texts and bundles, searchable by now. */
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
  importBundle,
  ingest,
}: Pick<Runtime, "owner" | "indexDocuments" | "importBundle" | "ingest">): Promise<LoadedSamples> {
  const texts = await listFolder(SAMPLES_FOLDER)
  const pdfs = await listFolder(SAMPLES_FOLDER, undefined, (name) => (name.endsWith(".pdf") ? null : "no PDF"))
  const bundles: { id: string; path: string }[] = []
  for (const { path } of await findBundles(SAMPLES_FOLDER)) {
    bundles.push({ id: (await readBundleIndex(path)).id, path })
  }
  const known = new Set([...texts, ...pdfs, ...bundles].map(({ id }) => id))
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
  const absent = bundles.filter(({ id }) => !held.has(id))
  for (const { path } of absent) await importBundle(TENANT, path)
  // Last, for recognition would take the processor from what can be searched at once.
  const missing = pdfs.filter(({ id }) => !held.has(id))
  for (const { id, name, path } of missing) {
    const options = IngestOptions.parse({})
    await ingest.add(TENANT, { id, fileName: basename(name), options }, await describeFile(path))
  }
  return { indexed: outcomes.length + absent.length, queued: missing.length }
}
