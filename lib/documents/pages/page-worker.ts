import { readFile } from "node:fs/promises"
import { parentPort, workerData } from "node:worker_threads"
import sharp from "sharp"
import { AppError } from "../../errors.ts"
import { createPageReader } from "./create-page-reader.ts"
import type { PageTasks, PageWorkerData, TaskReply, TaskRequest } from "./page-tasks.ts"

// The entry of a worker thread. Each thread is one core's worth of work.
sharp.concurrency(1)
sharp.cache(false)

const reader = createPageReader(workerData as PageWorkerData)

const tasks: PageTasks = {
  inspect: reader.inspect,
  readPage: reader.readPage,
  async readFlow(path, format) {
    const { readFlow } = await import("../formats/read-flow.ts")
    return readFlow(format, await readFile(path))
  },
  async unpackBundle(path, folder) {
    const { unpackBundle } = await import("../bundles/unpack-bundle.ts")
    return unpackBundle(await readFile(path), folder)
  },
  async layOut(pages) {
    const { layOutPages } = await import("../layout/lay-out-pages.ts")
    return layOutPages(pages)
  },
}

parentPort?.on("message", (request: TaskRequest) => void answer(request))

async function answer(request: TaskRequest): Promise<void> {
  const result = await run(request)
  parentPort?.postMessage({ id: request.id, retire: reader.isSpent(), result } satisfies TaskReply)
}

async function run({ task, values }: TaskRequest): Promise<TaskReply["result"]> {
  try {
    const perform = tasks[task] as (...values: readonly unknown[]) => Promise<unknown>
    return { value: await perform(...values) }
  } catch (error) {
    if (error instanceof AppError) return { error: { code: error.code, message: error.message } }
    return { error: { code: null, message: error instanceof Error ? error.message : String(error) } }
  }
}
