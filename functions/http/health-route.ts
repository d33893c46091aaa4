import { Hono } from "hono"
import type { Health, HealthReport } from "../../lib/health.ts"
import type { Guard } from "./auth.ts"
import type { Edge } from "./edge.ts"

interface HealthRouteOptions {
  readonly guard: Guard
  readonly version: string
  /** Whether the process is on its way out; never where it is absent. */
  readonly isDraining?: (() => boolean) | undefined
}

/**
 * `GET /health`: plain for load balancers, without a key; `?detail=1` for people, with one. `/health/live` asks nothing: who
 * answers it needn't be started again. `/health/ready` says whether requests should be sent here.
 */
export function healthRoute(health: Health, { guard, version, isDraining = () => false }: HealthRouteOptions) {
  const identify = guard("search")
  const routes = new Hono<Edge>()
  routes.get("/health/live", (c) => c.json({ status: "ok" } satisfies HealthReport))
  routes.get("/health/ready", async (c) => {
    const report: HealthReport = isDraining() ? { status: "unhealthy" } : await health(false)
    return c.json(report, report.status === "ok" ? 200 : 503)
  })
  return routes.get("/health", async (c) => {
    const detail = ["1", "true"].includes(c.req.query("detail") ?? "")
    if (detail) await identify(c, async () => {})
    const report = { ...(await health(detail)), ...(detail && { version }) }
    return c.json(report satisfies HealthReport, report.status === "ok" ? 200 : 503)
  })
}
