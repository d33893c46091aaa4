import type { DetectLanguage } from "../../detect-language.ts"
import type { Embedder } from "../../inference/inference.ts"
import type { ChatModel } from "../../llm/chat-model.ts"
import type { Log } from "../../log.ts"
import type { ObjectStore } from "../../objects/object-store.ts"
import type { IngestProgress, Job } from "../ingest/upload.ts"
import { type BoundedCalls, type CallOutcome, createBoundedCalls, type TokenPurse } from "./bounded-calls.ts"
import type { CallResult, Enrichments } from "./enrichments.ts"

/** The language model that enriches, and the most that one upload may take of it. */
export interface Enricher {
  readonly llm: ChatModel
  readonly tokensMax: number
}

/** What an enrichment stands on. */
export interface EnrichmentParts {
  readonly enrichments: Enrichments
  readonly objects: ObjectStore
  readonly embedder: Embedder | null
  /** Null: what was noted earlier is used, and nothing is added. */
  readonly enricher: Enricher | null
  readonly detectLanguage: DetectLanguage
  readonly log: Log
}

interface SessionOptions {
  readonly signal: AbortSignal
  /** Chunks and figures that were seen to. */
  readonly onProgress: (progress: IngestProgress) => void
  /** The job is no longer ours. */
  readonly onLost: () => void
}

/** The enrichment of one job: its calls, what it has come to, and what there is to say of it. */
export interface EnrichmentSession extends EnrichmentParts {
  readonly job: Job
  readonly signal: AbortSignal
  /** Calls of a stage that may take so much of the tokens, 0 to 1; null without a language model. */
  openCalls(share: number): BoundedCalls | null
  /** For the uploader: how much is left as it was, and why. */
  readonly warnings: string[]
  /** Of all chunks and figures of this version: notes under others are of no more use. */
  readonly hashes: string[]
  /** Notes that there is so much more to do, and so much of it done. */
  addSteps(done: number, total: number): Promise<void>
  /** Commits what a call came to, with what it took. */
  save(result: CallResult): Promise<void>
}

/** Begins or takes up the enrichment of a job, whose earlier attempts count towards its tokens. */
export async function openSession(
  parts: EnrichmentParts,
  job: Job,
  { signal, onProgress, onLost }: SessionOptions,
): Promise<EnrichmentSession> {
  const { enricher, enrichments } = parts
  const purse: TokenPurse = { used: enricher ? await enrichments.tokensOf(job) : 0, underway: new Set() }
  const steps = { done: 0, total: 0 }
  const keep = (held: boolean): void => {
    if (!held) onLost()
    signal.throwIfAborted()
    onProgress({ ...steps })
  }
  return {
    ...parts,
    job,
    signal,
    openCalls: (share) =>
      enricher && createBoundedCalls(enricher.llm, { purse, tokensMax: enricher.tokensMax, share, signal }),
    warnings: [],
    hashes: [],
    async addSteps(done, total) {
      steps.done += done
      steps.total += total
      keep(await enrichments.noteSteps(job, steps))
    },
    async save(result) {
      if (result.tokens === 0 && result.notes.size === 0) return
      steps.done += result.notes.size
      keep(await enrichments.save(job, result))
    },
  }
}

/** Tells whoever operates the service: an uploader can't mend a key that ran out. */
export function logStop({ log }: EnrichmentSession, calls: BoundedCalls): void {
  const reason = calls.stopReason()
  if (reason !== null) log.warn("the language model was given up for a document", { reason })
}

/** Why a call brought nothing, for the uploader. */
export function reasonOf(outcome: CallOutcome<unknown>, calls: BoundedCalls): string {
  if (outcome.kind === "useless" || outcome.kind === "down") return outcome.problem
  if (outcome.kind === "over") return `the limit of ${calls.tokensMax} tokens was reached (ENRICH_TOKENS_MAX)`
  return calls.stopReason() ?? "the language model left them out of its answer"
}

/** Counts what was left as it was, by reason; `name` is what is counted: `chunks`. */
export function createShortfall(name: string) {
  const counts = new Map<string, number>()
  return {
    add(reason: string, count: number): void {
      if (count > 0) counts.set(reason, (counts.get(reason) ?? 0) + count)
    },
    warnings: (total: number): string[] =>
      [...counts].map(([reason, count]) => `${count} of ${total} ${name} are not enriched: ${reason}`),
  }
}
