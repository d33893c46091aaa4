import type { Hono } from "hono"
import type { Config } from "../lib/config.ts"
import type { Log } from "../lib/log.ts"
import type { Runtime } from "../lib/runtime/open-runtime.ts"
import { taskRoot } from "./environment.ts"
import { createApp } from "./http/app.ts"
import type { AccessPolicy } from "./http/auth.ts"
import type { Edge } from "./http/edge.ts"
import { createWrongKeys } from "./http/wrong-keys.ts"
import { VERSION } from "./version.ts"

interface ServerAppOptions {
  readonly config: Config
  readonly policy: AccessPolicy
  readonly log: Log
  readonly isDraining?: () => boolean
}

/** Every route over one runtime, as the Node server serves them. */
export function createServerApp(runtime: Runtime, { config, policy, log, isDraining }: ServerAppOptions): Hono<Edge> {
  return createApp({
    ...runtime,
    embedder: runtime.inference.embedder,
    reranker: runtime.inference.reranker,
    policy,
    peerAddress: (c) => c.env?.incoming?.socket.remoteAddress,
    trustedProxies: config.trustedProxies,
    wrongKeys: createWrongKeys(log),
    answerTimeoutMs: config.answerTimeoutMs,
    searchTimeoutMs: config.searchTimeoutMs,
    indexTimeoutMs: config.indexTimeoutMs,
    corsOrigins: config.corsOrigins,
    serveApiDocs: config.serveApiDocs,
    documentBytesMax: config.documentBytesMax,
    log,
    ...(isDraining && { isDraining }),
    version: VERSION,
    root: taskRoot(),
  })
}
