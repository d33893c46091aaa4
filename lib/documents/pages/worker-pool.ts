import { Worker } from "node:worker_threads"
import { AppError, type ErrorCode } from "../../errors.ts"
import type { PageTasks, TaskError, TaskReply, TaskRequest } from "./page-tasks.ts"

export interface WorkerPoolOptions {
  /** The module that a thread runs. */
  readonly entry: URL
  readonly workerData: unknown
  /** At most this many threads; they start when there is work. */
  readonly threads: number
  /** A thread without work for so long is ended. */
  readonly idleMs: number
  /** Of JavaScript alone, MiB. */
  readonly heapMiB: number
}

export interface RunOptions {
  /** From when a thread takes it up. Over it the thread is ended. */
  readonly timeoutMs: number
  /** What is worked on, for the error messages: "Page 3". */
  readonly subject: string
  /** A thread that has just worked on the same file takes it first. */
  readonly path: string | null
  readonly signal?: AbortSignal | undefined
}

/** Threads that do one task after the other each. */
export interface WorkerPool {
  /**
   * Throws what the task throws; `document_unreadable` over the time limit, `document_too_large` over the limit of memory,
   * the signal's reason when it is aborted, which ends the thread.
   */
  run<Task extends keyof PageTasks>(
    task: Task,
    values: Parameters<PageTasks[Task]>,
    options: RunOptions,
  ): ReturnType<PageTasks[Task]>
  /** Ends the threads; what still waits is rejected. */
  close(): Promise<void>
}

interface Job {
  readonly request: TaskRequest
  readonly options: RunOptions
  settle(outcome: Outcome): void
}

interface Thread {
  readonly worker: Worker
  job: Job | null
  /** Of its last job. */
  path: string | null
  timer: NodeJS.Timeout | null
}

interface Pool {
  readonly options: WorkerPoolOptions
  readonly threads: Set<Thread>
  readonly queue: Job[]
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** Starts no thread yet. */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const pool: Pool = { options, threads: new Set(), queue: [] }
  let ids = 0
  let closed = false

  async function run(task: keyof PageTasks, values: readonly unknown[], runOptions: RunOptions): Promise<unknown> {
    const { signal } = runOptions
    signal?.throwIfAborted()
    if (closed) throw new Error("The pool is closed")
    return await new Promise((resolve, reject) => {
      ids += 1
      const job: Job = {
        request: { id: ids, task, values },
        options: runOptions,
        settle(outcome) {
          signal?.removeEventListener("abort", onAbort)
          if ("error" in outcome) reject(outcome.error)
          else resolve(outcome.value)
        },
      }
      const onAbort = () => abort(pool, job)
      signal?.addEventListener("abort", onAbort, { once: true })
      pool.queue.push(job)
      dispatch(pool)
    })
  }

  return {
    run: run as WorkerPool["run"],
    async close() {
      closed = true
      const closing = { error: new Error("The pool is closed") }
      for (const job of pool.queue.splice(0)) job.settle(closing)
      const exits = [...pool.threads].map(({ worker }) => worker.terminate())
      for (const thread of pool.threads) end(pool, thread, closing)
      await Promise.all(exits)
    },
  }
}

/** Gives waiting jobs to threads without one. */
function dispatch(pool: Pool): void {
  while (pool.queue.length > 0) {
    const thread = idleThread(pool, pool.queue[0]?.options.path ?? null)
    const job = thread === null ? undefined : pool.queue.shift()
    if (thread === null || job === undefined) return
    clearTimeout(thread.timer ?? undefined)
    thread.job = job
    thread.path = job.options.path
    thread.worker.ref()
    const { timeoutMs } = job.options
    thread.timer = setTimeout(() => end(pool, thread, { error: timedOut(job.options) }), timeoutMs)
    thread.worker.postMessage(job.request)
  }
}

function idleThread(pool: Pool, path: string | null): Thread | null {
  const idle = [...pool.threads].filter(({ job }) => job === null)
  const thread = idle.find((candidate) => candidate.path === path) ?? idle[0]
  return thread ?? (pool.threads.size < pool.options.threads ? start(pool) : null)
}

function start(pool: Pool): Thread {
  const { entry, workerData, heapMiB } = pool.options
  const worker = new Worker(entry, {
    workerData,
    // The flags of this process (a loader, a test runner's) are not the thread's.
    execArgv: [],
    // New objects get 4 MiB instead of 48: the words of a page are under one.
    resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 4 },
  })
  const thread: Thread = { worker, job: null, path: null, timer: null }
  worker.on("message", (reply: TaskReply) => finish(pool, thread, reply))
  worker.on("error", (error) => end(pool, thread, { error: describeCrash(thread, error) }))
  worker.on("exit", () => end(pool, thread, { error: new Error("A worker thread ended before its work") }))
  pool.threads.add(thread)
  return thread
}

function finish(pool: Pool, thread: Thread, { id, retire, result }: TaskReply): void {
  const { job } = thread
  if (job?.request.id !== id) return
  const outcome = "error" in result ? { error: toError(result.error) } : result
  if (retire) {
    end(pool, thread, outcome)
    return
  }
  rest(pool, thread)
  job.settle(outcome)
  dispatch(pool)
}

function rest(pool: Pool, thread: Thread): void {
  clearTimeout(thread.timer ?? undefined)
  thread.job = null
  // Neither a thread without work nor its timer keeps the process from ending.
  thread.worker.unref()
  thread.timer = setTimeout(() => end(pool, thread, { value: null }), pool.options.idleMs).unref()
}

/** Whatever the thread does: it is ended, and another takes the next job. */
function end(pool: Pool, thread: Thread, outcome: Outcome): void {
  if (!pool.threads.delete(thread)) return
  clearTimeout(thread.timer ?? undefined)
  void thread.worker.terminate()
  thread.job?.settle(outcome)
  thread.job = null
  dispatch(pool)
}

function abort(pool: Pool, job: Job): void {
  const outcome = { error: job.options.signal?.reason as unknown }
  const place = pool.queue.indexOf(job)
  if (place !== -1) pool.queue.splice(place, 1)
  const thread = [...pool.threads].find((candidate) => candidate.job === job)
  if (thread === undefined) job.settle(outcome)
  else end(pool, thread, outcome)
}

function toError({ code, message }: TaskError): Error {
  return code === null ? new Error(message) : new AppError(code as ErrorCode, message)
}

function timedOut({ subject, timeoutMs }: RunOptions): AppError {
  return new AppError("document_unreadable", `${subject} takes more than ${Math.round(timeoutMs / 1000)} s to read`)
}

function describeCrash({ job }: Thread, error: Error): Error {
  if (job !== null && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") {
    const message = `${job.options.subject} takes too much memory to be read`
    return new AppError("document_too_large", message, { cause: error })
  }
  return error
}
