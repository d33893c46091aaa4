import type { Database } from "../database/database.ts"
import type { Deadline } from "../deadline.ts"
import { loadLanguageDetector } from "../detect-language.ts"
import { AppError, isOutage } from "../errors.ts"
import { type ModelDeps, withWriteModel } from "../inference/tenant-models.ts"
import { embedDocuments } from "./embed-documents.ts"
import type { IndexRequest, IndexResponse } from "./index-request.ts"
import { prepareDocument } from "./prepare-document.ts"
import { writeDocuments } from "./write-documents.ts"

/** What became of one document of a batch. */
export type IndexOutcome = { readonly id: string } & (
  | { readonly indexed: IndexResponse }
  | { readonly failed: AppError }
)

/**
 * Indexes documents of one tenant: all chunks of a document are replaced in one transaction, or none. One outcome a
 * request, in order; the same id twice leaves the later one.
 */
export type IndexDocuments = (
  tenant: string,
  requests: readonly IndexRequest[],
  deadline: Deadline,
) => Promise<readonly IndexOutcome[]>

/** `embedder` null: documents without a vector of their own are found by words alone. */
interface IndexDeps extends ModelDeps {
  readonly database: Database
}

/**
 * Documents in a row that failed because a service was away, after which the rest of a group isn't tried: each waits for the
 * service's attempts anew, 2 s, and 64 of them took two minutes. One alone may be a text that the service refuses.
 */
const OUTAGES_MAX = 2

/** `POST /index` and its batches. */
export function createIndexDocuments(deps: IndexDeps): IndexDocuments {
  async function indexTogether(
    tenant: string,
    requests: readonly IndexRequest[],
    deadline: Deadline,
  ): Promise<IndexOutcome[]> {
    const detectLanguage = await loadLanguageDetector()
    const embedded = await withWriteModel(deps, tenant, async (embedder) => {
      const prepared = requests.map((request) => prepareDocument(request, embedder, detectLanguage))
      const embedded = await embedDocuments(prepared, embedder, deadline.signal)
      await writeDocuments(deps.database, tenant, embedded, { timeoutMs: deadline.left() })
      return embedded
    })
    const passages = embedded.reduce((sum, { document }) => sum + document.chunks.length, 0)
    await deps.meter?.count?.(tenant, { documents: embedded.length, passages })
    return embedded.map(({ document, warnings }) => ({
      id: document.id,
      indexed: { status: "indexed", ...(warnings.length > 0 && { warnings: [...warnings] }) },
    }))
  }

  async function indexOneByOne(
    tenant: string,
    requests: readonly IndexRequest[],
    deadline: Deadline,
  ): Promise<IndexOutcome[]> {
    const outcomes: IndexOutcome[] = []
    for (const request of requests) {
      const away = failureOfAll(outcomes.slice(-OUTAGES_MAX))
      if (away) outcomes.push({ id: request.id, failed: away })
      else outcomes.push(...(await indexGroup(tenant, [request], deadline)))
    }
    return outcomes
  }

  /** One that can't be indexed must not keep the others out, so a group that fails is tried one by one. */
  async function indexGroup(
    tenant: string,
    requests: readonly IndexRequest[],
    deadline: Deadline,
  ): Promise<IndexOutcome[]> {
    try {
      return await indexTogether(tenant, requests, deadline)
    } catch (error) {
      if (deadline.signal.aborted) return requests.map(({ id }) => ({ id, failed: tooLate(error) }))
      const [only] = requests
      if (only && requests.length === 1) return [{ id: only.id, failed: asAppError(error) }]
      return indexOneByOne(tenant, requests, deadline)
    }
  }

  return async (tenant, requests, deadline) => {
    const outcomes: IndexOutcome[] = []
    for (const group of withoutRepeats(requests)) outcomes.push(...(await indexGroup(tenant, group, deadline)))
    return outcomes
  }
}

/** The last failure where these are as many as it takes, and each failed because a service was away. */
function failureOfAll(outcomes: readonly IndexOutcome[]): AppError | null {
  const failures = outcomes.flatMap((outcome) =>
    "failed" in outcome && isOutage(outcome.failed) ? [outcome.failed] : [],
  )
  return failures.length === OUTAGES_MAX ? (failures.at(-1) ?? null) : null
}

/** The requests in order, parted before each id that comes again. */
function withoutRepeats(requests: readonly IndexRequest[]): IndexRequest[][] {
  const groups: IndexRequest[][] = []
  let seen = new Set<string>()
  for (const request of requests) {
    if (groups.length === 0 || seen.has(request.id)) {
      groups.push([])
      seen = new Set()
    }
    groups.at(-1)?.push(request)
    seen.add(request.id)
  }
  return groups
}

function tooLate(cause: unknown): AppError {
  return new AppError(
    "deadline_exceeded",
    "Indexing took longer than INDEX_TIMEOUT_MS allows; nothing of this document was written",
    {
      cause,
    },
  )
}

function asAppError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError("internal", "The document could not be indexed", { cause: error })
}
