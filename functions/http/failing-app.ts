import type { Hono } from "hono"
import type { Log } from "../../lib/log.ts"
import { createEdge } from "./create-edge.ts"
import type { Edge } from "./edge.ts"

/** An app that has this one answer to everything. */
export function failingApp(log: Log, error: unknown, corsOrigins: readonly string[]): Hono<Edge> {
  return createEdge(log, corsOrigins).all("*", () => {
    throw error
  })
}
