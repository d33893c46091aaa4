import type { Hono } from "hono"
import type { Anomalies } from "../../lib/documents/anomalies.ts"
import type { CountCollection } from "../../lib/documents/collection.ts"
import type { DocumentPages } from "../../lib/documents/document-pages.ts"
import type { Documents } from "../../lib/documents/documents.ts"
import type { Entities } from "../../lib/documents/entities.ts"
import type { IndexDocuments } from "../../lib/documents/index-documents.ts"
import type { Receive } from "../../lib/documents/ingest/receive.ts"
import type { PagePictures } from "../../lib/documents/page-pictures.ts"
import type { Health } from "../../lib/health.ts"
import type { Embedder, Reranker } from "../../lib/inference/inference.ts"
import type { EmbeddingMeter } from "../../lib/inference/meter-embedder.ts"
import { admitTenants } from "../../lib/limits/rates.ts"
import type { Log } from "../../lib/log.ts"
import { createMcpServers } from "../../lib/mcp/create-mcp-server.ts"
import type { Answers } from "../../lib/runtime/open-answers.ts"
import type { Feedback } from "../../lib/search/feedback.ts"
import type { Retrieve } from "../../lib/search/retrieve.ts"
import type { Search } from "../../lib/search/search.ts"
import type { ReadUsage } from "../../lib/usage/read-usage.ts"
import { anomaliesRoute } from "./anomalies-route.ts"
import { answerRoute } from "./answer-route.ts"
import { createGuard, type GuardOptions } from "./auth.ts"
import { collectionRoute } from "./collection-route.ts"
import { createEdge } from "./create-edge.ts"
import { documentPagesRoute } from "./document-pages-route.ts"
import { documentsRoute } from "./documents-route.ts"
import type { Edge } from "./edge.ts"
import { entitiesRoute } from "./entities-route.ts"
import { feedbackRoute } from "./feedback-route.ts"
import { healthRoute } from "./health-route.ts"
import { indexRoute } from "./index-route.ts"
import { inferenceRoute } from "./inference-route.ts"
import { KEEP_ALIVE_MS, mcpRoute } from "./mcp-route.ts"
import { openApiRoute } from "./openapi-route.ts"
import { picturesRoute } from "./pictures-route.ts"
import { referenceRoute } from "./reference-route.ts"
import { createRunningCalls } from "./running-calls.ts"
import { searchRoute } from "./search-route.ts"
import { sseRoute } from "./sse-route.ts"
import { createSseSessions } from "./sse-sessions.ts"
import { uploadsRoute } from "./uploads-route.ts"
import { usageRoute } from "./usage-route.ts"
import { webRoute } from "./web-route.ts"

/** All that the routes stand on: plain functions, so that a test passes its own. */
export interface AppParts extends GuardOptions {
  readonly search: Search
  readonly feedback: Feedback
  readonly retrieve: Retrieve
  readonly answers: Answers
  readonly indexDocuments: IndexDocuments
  readonly documents: Documents
  readonly countCollection: CountCollection
  /** How files come in, and documents go. */
  readonly ingest: Receive
  readonly documentPages: DocumentPages
  readonly pagePictures: PagePictures
  readonly entities: Entities
  readonly anomalies: Anomalies
  readonly health: Health
  readonly embedder: Embedder | null
  readonly reranker: Reranker | null
  readonly readUsage: ReadUsage
  readonly embeddingMeter: EmbeddingMeter
  readonly searchTimeoutMs: number
  readonly answerTimeoutMs: number
  readonly indexTimeoutMs: number
  /** Largest file, bytes. */
  readonly documentBytesMax: number
  /** Where a form's file lies until it is in the object store. */
  readonly tempFolder: string
  /** Whether the process is on its way out; never where it is absent. */
  readonly isDraining?: () => boolean
  readonly log: Log
  readonly version: string
  /** Origins whose pages may read answers. */
  readonly corsOrigins: readonly string[]
  /** Whether `/docs` and `/openapi.json` are there. */
  readonly serveApiDocs: boolean
  /** Folder of the project, where the files of the pages lie. */
  readonly root: string
}

/** A stream costs 20 KB; a client that waits for its person sends nothing for a while. */
const SSE_LIMITS = { sessionsMax: 500, sessionsOfKeyMax: 50, idleMs: 30 * 60_000, keepAliveMs: KEEP_ALIVE_MS }

/** The whole HTTP surface, on any platform that Hono runs on. */
export function createApp(parts: AppParts): Hono<Edge> {
  const { log, searchTimeoutMs, indexTimeoutMs } = parts
  const guard = createGuard(parts)
  const app = createEdge(log, parts.corsOrigins)
  app.route("/", searchRoute(parts.search, { guard, timeoutMs: searchTimeoutMs }))
  app.route("/", feedbackRoute(parts.feedback, { guard }))
  app.route("/", answerRoute(parts.answers, { guard, timeoutMs: parts.answerTimeoutMs, log }))
  app.route("/", indexRoute(parts.indexDocuments, { guard, timeoutMs: indexTimeoutMs, log }))
  app.route("/", uploadsRoute(parts.ingest, { ...parts, guard }))
  app.route("/", documentsRoute(parts.documents, parts.ingest, { guard }))
  const upload = { bytes_max: parts.documentBytesMax, form_bytes_max: parts.documentBytesMax }
  app.route("/", collectionRoute(parts.countCollection, { guard, upload }))
  app.route("/", documentPagesRoute(parts.documentPages, { guard }))
  app.route("/", picturesRoute(parts.pagePictures, { guard, timeoutMs: searchTimeoutMs }))
  app.route("/", entitiesRoute(parts.entities, { guard }))
  app.route("/", anomaliesRoute(parts.anomalies, { guard }))
  app.route("/", healthRoute(parts.health, { guard, version: parts.version, isDraining: parts.isDraining }))
  app.route("/", usageRoute(parts.readUsage, { guard }))
  app.route("/", inferenceRoute(parts, { guard, timeoutMs: indexTimeoutMs, meter: parts.embeddingMeter }))
  const mcp = createMcpServers({ ...parts, answer: parts.answers.answer, admit: admitTenants(parts.rates) })
  app.route("/", mcpRoute(mcp, { ...parts, guard, calls: createRunningCalls() }))
  app.route("/", sseRoute(createSseSessions(mcp, SSE_LIMITS), { guard }))
  if (parts.serveApiDocs) app.route("/", openApiRoute(parts.version)).route("/", referenceRoute(parts.root))
  app.route("/", webRoute(parts.root))
  return app
}
