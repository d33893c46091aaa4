import { measure, stage } from "../activity.ts"
import { overloaded } from "../overload.ts"
import type { InferenceOptions, TextKind } from "./inference.ts"

/** After so many questions in a row a passage gets its turn, or constant searching would stop all indexing. */
const QUERIES_IN_A_ROW_MAX = 8

interface Waiting {
  start(): void
}

/** Lets one batch at a time use the processor. */
export interface WorkQueue {
  /**
   * Runs `work` when its turn comes: what a search waits for (`query`) goes before what indexing does (`passage`).
   * Rejects with the signal's reason when that aborts first, and at once with `overloaded` where the queue is full, unless it
   * `isPatient`: so is the rest of what has begun. Work that has begun is not interrupted.
   */
  run<T>(kind: TextKind, work: () => Promise<T>, options?: InferenceOptions): Promise<T>
}

/** How much may wait: INFERENCE_QUEUE_MAX. */
const QUERIES_WAITING_MAX = 256
/** Of texts to embed so much less: each such request may hold 10 MB, a question 8,000 characters. */
const PASSAGE_SHARE = 1 / 8

/**
 * A queue for the models of one process. onnxruntime already spreads one batch over all threads, and two batches at
 * once only take turns in the middle of it: both finish later. A question therefore waits for one batch (30 to 60 ms)
 * of the indexing under way, never for all of it. onnxruntime-node runs a batch on the main thread in a `setImmediate`,
 * so between two batches the event loop serves timers and sockets.
 */
export function createWorkQueue(queriesMax: number = QUERIES_WAITING_MAX): WorkQueue {
  const most = { query: queriesMax, passage: Math.max(1, Math.floor(queriesMax * PASSAGE_SHARE)) }
  const waiting: Record<TextKind, Waiting[]> = { query: [], passage: [] }
  let isBusy = false
  let queriesInARow = 0

  function next(): void {
    const passageIsDue = queriesInARow >= QUERIES_IN_A_ROW_MAX && waiting.passage.length > 0
    const kind = waiting.query.length > 0 && !passageIsDue ? "query" : "passage"
    const chosen = waiting[kind].shift()
    if (!chosen) return
    queriesInARow = kind === "query" ? queriesInARow + 1 : 0
    isBusy = true
    chosen.start()
  }

  /** Resolves when it is the caller's turn, which lasts until `release`. */
  function turn(kind: TextKind, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = () => {
        waiting[kind].splice(waiting[kind].indexOf(entry), 1)
        reject(signal?.reason)
      }
      const entry = {
        start() {
          signal?.removeEventListener("abort", cancel)
          resolve()
        },
      }
      signal?.addEventListener("abort", cancel, { once: true })
      waiting[kind].push(entry)
      if (!isBusy) next()
    })
  }

  async function waitTurn(kind: TextKind, signal: AbortSignal | undefined): Promise<void> {
    const attributes = { "concordance.inference.kind": kind }
    const from = performance.now()
    measure("concordance.inference.queue.depth", 1, attributes)
    try {
      await turn(kind, signal)
    } finally {
      measure("concordance.inference.queue.depth", -1, attributes)
      measure("concordance.inference.queue.wait", (performance.now() - from) / 1_000, attributes)
    }
  }

  return {
    async run(kind, work, { signal, isPatient = false } = {}) {
      signal?.throwIfAborted()
      if (!isPatient && waiting[kind].length >= most[kind]) throw overloaded("The model", "INFERENCE_QUEUE_MAX")
      await waitTurn(kind, signal)
      try {
        return await stage("inference", work, { attributes: { "concordance.inference.kind": kind } })
      } finally {
        isBusy = false
        next()
      }
    },
  }
}
