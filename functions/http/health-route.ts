import { Hono } from "hono"
import type { Health, HealthReport } from "../../lib/health.ts"
import type { Guard } from "./auth.ts"
import type { Edge } from "./edge.ts"

/** `GET /health`: plain for load balancers, without a key; `?detail=1` for people, with one. */
export function healthRoute(health: Health, { guard, version }: { readonly guard: Guard; readonly version: string }) {
  const identify = guard("search")
  return new Hono<Edge>().get("/health", async (c) => {
    const detail = ["1", "true"].includes(c.req.query("detail") ?? "")
    if (detail) await identify(c, async () => {})
    const report = { ...(await health(detail)), ...(detail && { version }) }
    return c.json(report satisfies HealthReport, report.status === "ok" ? 200 : 503)
  })
}
