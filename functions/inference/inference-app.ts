import type { Hono, MiddlewareHandler } from "hono"
import type { Embedder, Reranker } from "../../lib/inference/inference.ts"
import type { Log } from "../../lib/log.ts"
import { createHealth } from "../../lib/runtime/create-health.ts"
import type { Guard } from "../http/auth.ts"
import { createEdge } from "../http/create-edge.ts"
import type { Edge } from "../http/edge.ts"
import { healthRoute } from "../http/health-route.ts"
import { inferenceRoute } from "../http/inference-route.ts"
import { VERSION } from "../version.ts"

interface InferenceAppParts {
  readonly embedder: Embedder | null
  readonly reranker: Reranker | null
  readonly guard: Guard
  /** Longest that one request may take, ms; a Lambda's own end comes before it. */
  readonly timeoutMs: number
  readonly log: Log
  /** Stands around the routes. */
  readonly around?: MiddlewareHandler<Edge>
}

/** What a model has not answered by then it isn't well, ms: the first question to a second model loads it. */
const HEALTH_TIMEOUT_MS = 10_000

/** The models and nothing else: `/embed`, `/rerank`, `/v1/embeddings` and `/health`, as the whole service has them. */
export function createInferenceApp(parts: InferenceAppParts): Hono<Edge> {
  const { guard, timeoutMs, log, around } = parts
  const app = createEdge(log, [])
  if (around) app.use(around)
  app.route("/", inferenceRoute(parts, { guard, timeoutMs }))
  const health = createHealth({ database: null, models: async () => parts, timeoutMs: HEALTH_TIMEOUT_MS })
  app.route("/", healthRoute(health, { guard, version: VERSION }))
  return app
}
