import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { bundleDocument } from "../bundles/bundle-document.ts"
import { storeImages } from "../bundles/bundle-images.ts"
import { type Bundle, readBundle } from "../bundles/read-bundle.ts"
import type { SourceFile } from "../prepare-document.ts"
import { embedDrafts } from "./embed-drafts.ts"
import { publish } from "./publish.ts"
import type { JobParts, RunJobOptions } from "./run-job.ts"
import type { Job } from "./upload.ts"

/**
 * The rest of a job whose file is a packed bundle: its chunks are there already, and have what a language model would
 * note. Throws what `readBundle` throws, and as `runJob` does.
 */
export async function ingestBundle(
  parts: JobParts,
  job: Job,
  path: string,
  file: SourceFile,
  { signal, onProgress, onLost }: RunJobOptions,
): Promise<void> {
  if (!(await parts.jobs.notePages(job, 1))) onLost()
  signal.throwIfAborted()
  onProgress({ done: 0, total: 1 })
  const folder = join(path, "..", "bundle")
  // It is there where a job begins anew by another model.
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  const passedOver = await parts.fileReader.unpackBundle(path, folder, signal)
  const bundle = asUploaded(await readBundle(folder, signal), job, passedOver)
  const images = await storeImages(parts, job.tenant, folder, bundle, signal)
  const document = bundleDocument(bundle, images, parts.embedder, await parts.detectLanguage())
  const embedded = await embedDrafts(
    parts.drafts,
    parts.embedder,
    job,
    { ...document, file },
    { signal, onLost, count: parts.count },
  )
  const published = { tables: bundle.tables, noteHashes: [], bundle: { bundle, imageKeys: [...images.values()] } }
  if (!(await publish(parts.database, job, embedded, published))) onLost()
  signal.throwIfAborted()
  await parts.count?.(job.tenant, { documents: 1, passages: bundle.chunks.length })
  onProgress({ done: 1, total: 1 })
}

/** The upload names the document and may give it another title and more metadata. */
function asUploaded({ index, warnings, ...bundle }: Bundle, job: Job, passedOver: readonly string[]): Bundle {
  const { title, metadata, language } = job.options
  const notes: string[] = []
  if (index.id !== undefined && index.id !== job.documentId) {
    notes.push("id: the bundle has another one than its upload; that of the upload counts")
  }
  if (language !== undefined) notes.push("language: had no effect; the chunks of a bundle say theirs")
  return {
    ...bundle,
    id: job.documentId,
    index: { ...index, title: title ?? index.title, metadata: { ...index.metadata, ...metadata } },
    warnings: [...notes, ...passedOver, ...warnings],
  }
}
