import { fileURLToPath } from "node:url"
import { deadlineIn } from "../deadline.ts"
import { findBundles } from "../documents/bundles/find-bundles.ts"
import type { IndexRequest } from "../documents/index-request.ts"
import { readFolder } from "../documents/read-folder.ts"
import type { Runtime } from "./open-runtime.ts"

/** The documents that a first start loads. */
const SAMPLES_FOLDER = fileURLToPath(new URL("../../samples", import.meta.url))
const TENANT = "primary"
/** What the slowest machine may take for forty short documents and a bundle of forty chunks, ms. */
const TIMEOUT_MS = 300_000

/**
 * Loads `samples/` into a database that never held a document: one that was emptied by hand has tombstones, and stays
 * empty. Returns how many documents it loaded.
 */
export async function loadSamples({
  owner,
  indexDocuments,
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
}
