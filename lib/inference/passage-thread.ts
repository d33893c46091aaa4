import { Worker } from "node:worker_threads"
import { AppError } from "../errors.ts"
import { padBatch } from "./pad-batch.ts"
import type { PassageReply, PassageRequest, PassageWorkerData } from "./passage-worker.ts"
import type { TokenSequence } from "./tokenizer.ts"

/**
 * A copy of a model in a thread of its own, for passages: onnxruntime runs a batch on the thread that asks, and on the main
 * one that keeps all else waiting, questions first.
 */
export interface PassageThread {
  /**
   * Unit vectors of one batch, in order; a call waits for the one before. The thread starts with the first, and again after
   * it died. Throws `inference_unavailable`.
   */
  embed(batch: readonly TokenSequence[]): Promise<readonly Float32Array[]>
  /** Ends the thread; a batch under way finishes first. */
  close(): Promise<void>
}

interface PassageThreadOptions extends PassageWorkerData {
  /** For messages. */
  readonly name: string
  readonly paddingId: number
  /** The module that the thread runs. */
  readonly entry?: URL
}

const ENTRY = new URL("./start-passage-worker.mjs", import.meta.url)

/** Starts no thread yet. */
export function createPassageThread({ name, paddingId, entry = ENTRY, ...data }: PassageThreadOptions): PassageThread {
  let worker: Worker | null = null
  let last: Promise<unknown> = Promise.resolve()

  function started(): Worker {
    if (worker) return worker
    // The flags of this process (a loader, a test runner's) are not the thread's.
    const fresh = new Worker(entry, { workerData: data satisfies PassageWorkerData, execArgv: [] })
    const forget = () => {
      if (worker === fresh) worker = null
    }
    fresh.on("exit", forget)
    fresh.on("error", forget)
    worker = fresh
    return fresh
  }

  async function ask(request: PassageRequest): Promise<readonly Float32Array[]> {
    const thread = started()
    // A thread without work doesn't keep the process from ending.
    thread.ref()
    try {
      const reply = await replyOf(thread, request)
      if ("vectors" in reply) return reply.vectors
      throw new Error(reply.failed)
    } catch (error) {
      throw new AppError("inference_unavailable", `The model ${name} failed on a batch.`, { cause: error })
    } finally {
      thread.unref()
    }
  }

  return {
    embed(batch) {
      const lengths = batch.map(({ ids }) => ids.length)
      const asked = last.then(() => ask({ ...padBatch(batch, paddingId), lengths }))
      last = asked.catch(() => undefined)
      return asked
    },
    async close() {
      await last
      await worker?.terminate()
    },
  }
}

function replyOf(worker: Worker, request: PassageRequest): Promise<PassageReply> {
  return new Promise((resolve, reject) => {
    const died = (cause: unknown) => reject(cause instanceof Error ? cause : new Error("its thread ended"))
    worker.once("message", (reply: PassageReply) => {
      worker.off("error", died)
      worker.off("exit", died)
      resolve(reply)
    })
    worker.once("error", died)
    worker.once("exit", died)
    worker.postMessage(request)
  })
}
