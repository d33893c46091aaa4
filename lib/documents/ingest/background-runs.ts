import { currentOrigin, type Origin, runFor } from "../../activity.ts"
import type { Log } from "../../log.ts"
import type { Ingest, RunOutcome } from "./create-ingest.ts"
import { LEASE_MS } from "./jobs.ts"
import { createLimiter } from "./read-pages.ts"
import type { IngestProgress } from "./upload.ts"

/** Hears of every document that this process works on. */
export interface IngestListener {
  onProgress?(tenant: string, documentId: string, progress: IngestProgress): void
  onEnd?(tenant: string, documentId: string, outcome: RunOutcome): void
}

interface BackgroundOptions extends IngestListener {
  readonly ingest: Pick<Ingest, "run">
  /** Documents worked on at once; their pages share the reader's workers. */
  readonly documentsAtOnce: number
  /** No other process works on this database. */
  readonly isAlone: boolean
  readonly log: Log
}

/** Runs of jobs that nobody waits for. */
export interface BackgroundRuns {
  /**
   * Works on a document's job, now or when its turn comes; once more after the run under way, if there is one. `origin` is the
   * request that caused it: the one under way, unless said otherwise.
   */
  push(tenant: string, documentId: string, origin?: Origin): void
  /** The same later, for nobody's request, if the process is still there. */
  pushIn(ms: number, tenant: string, documentId: string): void
  has(tenant: string, documentId: string): boolean
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>
  /** Puts the work down where it is. */
  close(): Promise<void>
}

/** Wait before another attempt, ms; doubled with each, up to the second: an outage of eight minutes is waited for. */
const RETRY_MS = 2_000
const RETRY_MS_MAX = 120_000
/** Attempts that could not even note their failure, because the database was away; then the next start takes the file up. */
const LOST_ATTEMPTS_MAX = 10

export function createBackgroundRuns(options: BackgroundOptions): BackgroundRuns {
  const { ingest, isAlone, log } = options
  const limit = createLimiter(options.documentsAtOnce)
  const stop = new AbortController()
  const running = new Map<string, { again: Origin | null; readonly work: Promise<void> }>()
  const nameOf = (tenant: string, id: string): string => JSON.stringify([tenant, id])

  /** Waits outside of the limit: while one file waits for its service, others are read. */
  async function work(tenant: string, id: string): Promise<void> {
    const onProgress = (progress: IngestProgress) => options.onProgress?.(tenant, id, progress)
    const run = async () => {
      if (stop.signal.aborted) return "stopped"
      return ingest.run(tenant, id, { signal: stop.signal, isAlone, onProgress })
    }
    let lost = 0
    for (let tries = 1; ; tries++) {
      const outcome = await limit(run).catch((error: unknown) => {
        if (++lost >= LOST_ATTEMPTS_MAX || stop.signal.aborted) throw error
        log.warn("a file could not be worked on; it is tried again", { error })
        return "lost" as const
      })
      if (outcome === "stopped") return
      // Its own lease may still stand in the way: the attempt that lost the database could not give it back.
      const isBehindItself = outcome === "none" && lost > 0 && tries <= LOST_ATTEMPTS_MAX
      if (outcome !== "retry" && outcome !== "lost" && !isBehindItself) return options.onEnd?.(tenant, id, outcome)
      const waitMs = isBehindItself ? LEASE_MS / 4 : Math.min(RETRY_MS * 2 ** (tries - 1), RETRY_MS_MAX)
      await waitUnlessStopped(waitMs, stop.signal)
    }
  }

  function push(tenant: string, id: string, origin = currentOrigin()): void {
    const name = nameOf(tenant, id)
    const there = running.get(name)
    if (there) {
      there.again = origin
      return
    }
    const finished = runFor(origin, "ingest", () => work(tenant, id))
      .catch((error: unknown) => {
        log.error("a file could not be worked on; the next start takes it up", { error })
        options.onEnd?.(tenant, id, "retry")
      })
      .finally(() => {
        const again = running.get(name)?.again ?? null
        running.delete(name)
        if (again && !stop.signal.aborted) push(tenant, id, again)
      })
    running.set(name, { again: null, work: finished })
  }

  const idle = async (): Promise<void> => {
    while (running.size > 0) await Promise.all([...running.values()].map((entry) => entry.work))
  }
  return {
    push,
    pushIn(ms, tenant, id) {
      const timer = setTimeout(() => push(tenant, id, {}), ms).unref()
      stop.signal.addEventListener("abort", () => clearTimeout(timer), { once: true })
    },
    has: (tenant, id) => running.has(nameOf(tenant, id)),
    idle,
    async close() {
      stop.abort()
      await idle()
    },
  }
}

function waitUnlessStopped(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms)
    function end(): void {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      resolve()
    }
    signal.addEventListener("abort", end, { once: true })
  })
}
