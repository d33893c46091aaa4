import { isMainThread } from "node:worker_threads"
import { once } from "../lib/once.ts"

/** The threads that read files start from this very file: a bundle has no other whose name is known. */
const entry = (kind: "pages" | "flows") => new URL(`${import.meta.url}?${kind}`)

const open = once(async () =>
  (await import("./lambda/open-ingest.ts")).openIngest({ pages: entry("pages"), flows: entry("flows") }),
)

if (!isMainThread) {
  if (import.meta.url.endsWith("?pages")) await import("../lib/documents/pages/page-worker.ts")
  else await import("../lib/documents/pages/flow-worker.ts")
}

/** The queue: files that came into the bucket or went, and the messages into which long files are split. */
export const handler = async (event: unknown, context: { getRemainingTimeInMillis(): number }) =>
  (await open())(event, context)
