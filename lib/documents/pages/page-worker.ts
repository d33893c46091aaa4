import { workerData } from "node:worker_threads"
import sharp from "sharp"
import { layOutPages } from "../layout/lay-out-pages.ts"
import { answerTasks } from "./answer-tasks.ts"
import { createPageReader } from "./create-page-reader.ts"
import type { PageWorkerData } from "./page-tasks.ts"

// The entry of a thread that reads pages. Each thread is one core's worth of work. It imports nothing later on: see
// start-page-worker.mjs.
sharp.concurrency(1)
sharp.cache(false)

const { inspect, readPage, isSpent } = createPageReader(workerData as PageWorkerData)

answerTasks({ inspect, readPage, layOut: async (pages) => layOutPages(pages) }, isSpent)
