import { stage } from "../../activity.ts"
import type { CountUsage } from "../../count-usage.ts"
import type { Database } from "../../database/database.ts"
import type { DetectLanguage } from "../../detect-language.ts"
import { AppError } from "../../errors.ts"
import { type ModelDeps, withWriteModel } from "../../inference/tenant-models.ts"
import type { Log } from "../../log.ts"
import type { ObjectStore } from "../../objects/object-store.ts"
import type { ReadDocument } from "../block.ts"
import type { PagePicture } from "../enrichment/describe-figures.ts"
import { enrichChunks } from "../enrichment/enrich-chunks.ts"
import { enrichFigures } from "../enrichment/enrich-figures.ts"
import { type Enricher, openSession } from "../enrichment/enrichment-session.ts"
import type { Enrichments } from "../enrichment/enrichments.ts"
import type { FileReader, Inspection } from "../file-reader.ts"
import { type AssembleChunks, assembleDocument } from "./assemble-document.ts"
import type { Drafts } from "./drafts.ts"
import { embedDrafts } from "./embed-drafts.ts"
import { fetchUpload, withFolder } from "./fetch-upload.ts"
import { ingestBundle } from "./ingest-bundle.ts"
import type { Jobs } from "./jobs.ts"
import { publish } from "./publish.ts"
import { FAILURES_MAX, type Limiter, readPages } from "./read-pages.ts"
import { PAGES_ALONE_MAX } from "./spread-pages.ts"
import type { IngestProgress, Job } from "./upload.ts"

/** Bounds of the ingestion. */
export interface IngestSettings {
  /** Largest file, bytes. */
  readonly documentBytesMax: number
  /** Most pages of a file. */
  readonly documentPagesMax: number
  /** Pages read side by side, all files together. */
  readonly ingestConcurrency: number
}

/** What the stages stand on. `embedder` null: documents are found by words alone. */
export interface JobParts extends ModelDeps {
  /** Null: uploads are not enriched. */
  readonly enricher: Enricher | null
  readonly enrichments: Enrichments
  readonly database: Database
  readonly objects: ObjectStore
  readonly fileReader: FileReader
  readonly assembleChunks: AssembleChunks
  readonly detectLanguage: () => Promise<DetectLanguage>
  readonly settings: IngestSettings
  /** Where uploads are put while they are read. */
  readonly tempFolder: string
  readonly jobs: Jobs
  readonly drafts: Drafts
  readonly limit: Limiter
  /** Hears what a tenant's uploads used. */
  readonly count?: CountUsage | undefined
  readonly log: Log
}

export interface RunJobOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: IngestProgress) => void
  /** The job is no longer ours; aborts `signal`. */
  readonly onLost: () => void
  /**
   * Hands the job on to others who read these pages. False when it is no longer ours. Absent: they are read here, however
   * many there are.
   */
  readonly spread?: ((missing: readonly number[]) => Promise<boolean>) | undefined
}

/** What a file holds, with what there is to say about it. */
interface ReadResult {
  readonly document: ReadDocument
  readonly warnings: readonly string[]
  /** By page. */
  readonly pictures: ReadonlyMap<number, PagePicture>
}

const UNCHANGED = `
  with same as (
    select 1 from ingest_jobs done join ingest_jobs job on job.source_account_id = done.source_account_id
       and job.document_id = done.document_id
     where done.document_id = $1 and done.state = 'done' and job.generation = $2 and job.worker = $3
       and job.state = 'processing' and done.sha256 = job.sha256 and done.options = job.options)
  update ingest_jobs set state = 'superseded', worker = null, lease_until = null
   where document_id = $1 and generation = $2 and exists (select from same) returning 1`

/**
 * The stages of one job, each taking up what an earlier attempt has committed: fetch, inspect, pages, figures, layout and chunks,
 * a language model's notes, vectors, publish. `spread`: others read the pages, and somebody else goes on after them.
 * Throws `AppError` for a person to read, and the signal's reason.
 */
export async function runJob(parts: JobParts, job: Job, options: RunJobOptions): Promise<"ready" | "spread"> {
  const { signal, onLost } = options
  return withFolder(parts.tempFolder, async (folder) => {
    const local = await stage("fetch", () => fetchUpload(parts.objects, job, folder, parts.settings.documentBytesMax))
    if (!(await parts.jobs.noteFile(job, local))) onLost()
    signal.throwIfAborted()
    if (job.sha256 === null && (await isUnchanged(parts.database, job))) return "ready"
    const inspection = await stage("inspect", () => parts.fileReader.inspect(local.path, job.fileName))
    signal.throwIfAborted()
    if (inspection.format === "bundle") {
      const file = { mimeType: inspection.mimeType, sha256: local.sha256 }
      await withWriteModel(parts, job.tenant, (embedder) =>
        stage("bundle", () => ingestBundle({ ...parts, embedder }, job, local.path, file, options)),
      )
      return "ready"
    }
    const read = await readFile(parts, job, local.path, inspection, options)
    if (read === "spread") return read
    const result = { ...read, sha256: local.sha256 }
    await withWriteModel(parts, job.tenant, (embedder) =>
      publishRead({ ...parts, embedder }, job, inspection, result, options),
    )
    return "ready"
  })
}

/** From what was read of a file to what is served. */
async function publishRead(
  parts: JobParts,
  job: Job,
  { title, mimeType, pageCount }: Inspection,
  { document, warnings, pictures, sha256 }: ReadResult & { readonly sha256: string },
  options: RunJobOptions,
): Promise<void> {
  const { signal, onLost } = options
  const file = { mimeType, sha256 }
  const detecting = { ...parts, detectLanguage: await parts.detectLanguage() }
  const session = await openSession(detecting, job, { ...options, onProgress: after(pageCount ?? 1, options) })
  const described = await stage("describe", () => enrichFigures(session, document, pictures))
  const read = { document: described, title, file, pageCount, warnings }
  const { prepared, tables } = await stage("chunks", () => assembleDocument(detecting, job, read))
  signal.throwIfAborted()
  const enriched = await stage("annotate", () => enrichChunks(session, prepared))
  // First, for only so many warnings are kept.
  const ready = { ...enriched, warnings: [...session.warnings, ...enriched.warnings] }
  const drafting = { signal, onLost, count: parts.count }
  const embedded = await stage("embed", () => embedDrafts(parts.drafts, parts.embedder, job, ready, drafting))
  const published = { tables, noteHashes: session.hashes }
  if (!(await stage("publish", () => publish(parts.database, job, embedded, published)))) onLost()
  signal.throwIfAborted()
  await parts.count?.(job.tenant, { documents: 1, passages: embedded.document.chunks.length })
}

/** Progress that goes on where that of the pages ended. */
function after(pages: number, { onProgress }: RunJobOptions): RunJobOptions["onProgress"] {
  return ({ done, total }) => onProgress({ done: pages + done, total: pages + total })
}

/** A file that came without passing through here may be the one that is served: then it stays as it is. */
async function isUnchanged(database: Database, { tenant, documentId, generation, worker }: Job): Promise<boolean> {
  const values = [documentId, generation, worker]
  const [same = []] = await database.batch({ tenant }, [{ text: UNCHANGED, values }])
  return same.length > 0
}

async function readFile(
  parts: JobParts,
  job: Job,
  path: string,
  { pageCount, format }: Inspection,
  options: RunJobOptions,
): Promise<ReadResult | "spread"> {
  const { signal, onProgress, onLost } = options
  const total = pageCount ?? 1
  if (total > parts.settings.documentPagesMax) {
    const most = `the limit is ${parts.settings.documentPagesMax} (DOCUMENT_PAGES_MAX)`
    throw new AppError("document_too_large", `The file has ${total} pages; ${most}`)
  }
  if (!(await parts.jobs.notePages(job, total))) onLost()
  signal.throwIfAborted()
  if (pageCount === null) {
    onProgress({ done: 0, total })
    const document = await stage("pages", () => parts.limit(() => parts.fileReader.readFlow(path, format, signal)))
    onProgress({ done: 1, total })
    return { document, warnings: [], pictures: new Map() }
  }
  if (options.spread) {
    const there = await parts.drafts.pageNumbers(job)
    const missing = Array.from({ length: total }, (_, i) => i + 1).filter((number) => !there.has(number))
    if (missing.length > PAGES_ALONE_MAX) {
      if (await options.spread(missing)) return "spread"
      onLost()
      signal.throwIfAborted()
    }
  }
  await readPages({ ...parts, sideBySide: parts.settings.ingestConcurrency }, job, {
    path,
    total,
    signal,
    onProgress,
    onLost,
  })
  const drafted = await parts.drafts.pages(job)
  const failed = drafted.filter(({ warning }) => warning !== null)
  const [first] = failed
  if (first?.warning && failed.length >= Math.min(drafted.length, FAILURES_MAX))
    throw new AppError("document_unreadable", first.warning)
  const pages = drafted.flatMap(({ text }) => (text ? [text] : []))
  const document = await stage("layout", () => parts.fileReader.layOut(pages, signal))
  const pictures = new Map(
    drafted.flatMap(({ number, text, imageKey }) =>
      text && imageKey ? [[number, { imageKey, width: text.width, height: text.height }] as const] : [],
    ),
  )
  return { document, pictures, warnings: failed.map(({ number, warning }) => `page ${number} is missing: ${warning}`) }
}
