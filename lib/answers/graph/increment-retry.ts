import type { GraphNode } from "./graph-run.ts"

/** Counts a retry of the generator. */
export const incrementRetry: GraphNode = async ({ retryCount }) => ({
  changes: { retryCount: retryCount + 1 },
  label: String(retryCount + 1),
})
