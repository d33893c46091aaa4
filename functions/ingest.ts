import { isMainThread, workerData } from "node:worker_threads"
import type { PageWorkerData } from "../lib/documents/pages/page-tasks.ts"
import { once } from "../lib/once.ts"

// The threads that read files start from this very file: of a bundle no other name is known.
const entry = new URL(import.meta.url)

const open = once(async () => (await import("./lambda/open-ingest.ts")).openIngest({ pages: entry, flows: entry }))

if (!isMainThread) {
  if ((workerData as PageWorkerData).kind === "pages") await import("../lib/documents/pages/page-worker.ts")
  else await import("../lib/documents/pages/flow-worker.ts")
}

/** The queue: files that came into the bucket or went, and the messages into which long files are split. */
export const handler = async (event: unknown, context: { getRemainingTimeInMillis(): number }) =>
  (await open())(event, context)
