import { randomUUID } from "node:crypto"
import { loadLanguageDetector } from "../../detect-language.ts"
import { AppError, type ErrorCode } from "../../errors.ts"
import type { Documents } from "../documents.ts"
import { createEnrichments } from "../enrichment/enrichments.ts"
import { cleanUpDocument, sweepTenant } from "./clean-up.ts"
import { createDrafts } from "./drafts.ts"
import { createJobs, LEASE_MS, type PendingWork } from "./jobs.ts"
import { createLimiter } from "./read-pages.ts"
import { createReceive, type Receive } from "./receive.ts"
import { type JobParts, runJob } from "./run-job.ts"
import type { IngestProgress, Job } from "./upload.ts"

/**
 * What became of one run. `ready`: published, or unchanged. `failed`: for good, the document says why. `retry`: it
 * failed, and another run may not. `paused`: the signal aborted it. `superseded`: a delete or a newer upload came.
 * `none`: nothing waits there, or another worker has it.
 */
export type RunOutcome = "ready" | "failed" | "retry" | "paused" | "superseded" | "none"

interface RunOptions {
  /** Aborts between two pages or batches; what is finished stays, for the next run. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: IngestProgress) => void
  /** No other process works on this database, so whoever else holds the job is dead. */
  readonly isAlone?: boolean
}

/** Files on their way to becoming documents. All state is in the database and the object store: any process may go on. */
export interface Ingest extends Receive {
  /** Works on the document's upload until it is published, failed or taken away; removes what is left over. Never throws for the file's sake. */
  run(tenant: string, documentId: string, options?: RunOptions): Promise<RunOutcome>
  /** What of a tenant's waits for `run`, or, `superseded` and `expired`, for `cleanUp`. */
  pending(tenant: string): Promise<readonly PendingWork[]>
  /** Removes objects and drafts that earlier uploads of a document left. */
  cleanUp(tenant: string, documentId: string): Promise<void>
  /** Removes objects of a tenant that no row names; reads the list of all of them. Returns how many. */
  sweep(tenant: string): Promise<number>
}

type IngestDeps = Omit<JobParts, "jobs" | "drafts" | "enrichments" | "limit" | "detectLanguage"> & {
  readonly documents: Documents
}

/** Errors that time doesn't mend. */
const FINAL: readonly ErrorCode[] = [
  "document_encrypted",
  "document_unreadable",
  "document_unsupported",
  "document_too_large",
  "invalid_request",
]

/** Puts the ingestion together. */
export function createIngest(deps: IngestDeps): Ingest {
  const { database, objects, settings, log } = deps
  const jobs = createJobs(database)
  const parts: JobParts = {
    ...deps,
    jobs,
    drafts: createDrafts(database),
    enrichments: createEnrichments(database),
    limit: createLimiter(settings.ingestConcurrency),
    detectLanguage: loadLanguageDetector,
  }
  const cleanUp = async (tenant: string, documentId: string): Promise<void> => {
    // Whatever this leaves is marked in the database, and the next start or upload removes it.
    await cleanUpDocument({ database, objects }, tenant, documentId).catch((error: unknown) => {
      log.warn("leftovers of an upload could not be removed yet", { error })
    })
  }

  async function settle(job: Job, thrown: unknown): Promise<RunOutcome> {
    const failure = describe(thrown)
    if (failure.code === "internal") log.error("a file could not be ingested", { error: thrown })
    const after = await jobs.noteFailure(job, failure, FINAL.includes(failure.code))
    if (after === null) return "superseded"
    return after.state === "failed" ? "failed" : "retry"
  }

  async function runHeld(job: Job, { signal, onProgress }: RunOptions): Promise<RunOutcome> {
    const lost = new AbortController()
    const heartbeat = setInterval(() => {
      // One that can't reach the database keeps working: its lease, or the next commit, decides.
      jobs.renew(job).then(
        (held) => held || lost.abort(),
        () => undefined,
      )
    }, LEASE_MS / 3)
    try {
      const either = signal ? AbortSignal.any([signal, lost.signal]) : lost.signal
      await runJob(parts, job, { signal: either, onProgress: onProgress ?? (() => {}), onLost: () => lost.abort() })
      return "ready"
    } catch (error) {
      if (lost.signal.aborted) return "superseded"
      if (!signal?.aborted) return await settle(job, error)
      await jobs.putDown(job)
      return "paused"
    } finally {
      clearInterval(heartbeat)
    }
  }

  return {
    ...createReceive({ ...deps, cleanUp }),
    async run(tenant, documentId, options = {}) {
      const job = await jobs.claim(tenant, documentId, randomUUID(), options.isAlone ?? false)
      if (job === null) return "none"
      const outcome = job === "failed" ? job : await runHeld(job, options)
      if (outcome !== "paused" && outcome !== "retry") await cleanUp(tenant, documentId)
      return outcome
    },
    pending: (tenant) => jobs.pending(tenant),
    cleanUp,
    sweep: (tenant) => sweepTenant({ database, objects }, tenant),
  }
}

function describe(thrown: unknown): { readonly code: ErrorCode; readonly message: string } {
  if (thrown instanceof AppError && thrown.code !== "internal") return thrown
  return { code: "internal", message: "Something went wrong here while this file was read; the log says what" }
}
