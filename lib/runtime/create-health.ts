import type { Database } from "../database/database.ts"
import type { Health, HealthReport } from "../health.ts"
import type { Embedder, Reranker } from "../inference/inference.ts"

interface HealthDeps {
  /** Null where there is none: the models alone are served. */
  readonly database: Database | null
  /** Asked for in detail alone. */
  readonly models: () => Promise<{ readonly embedder: Embedder | null; readonly reranker: Reranker | null }>
  /** What hasn't answered by then is unhealthy, ms. */
  readonly timeoutMs: number
}

type Component = NonNullable<HealthReport["components"]>["database"]

/**
 * Asks the database and, in detail, each model for something small. Only the database decides: without a model,
 * searches still answer by words. Questions that come while one is under way share its answer, so that a load
 * balancer never queues behind a slow database.
 */
export function createHealth({ database, models, timeoutMs }: HealthDeps): Health {
  const askDatabase = shared<Component>(async () =>
    database ? ask(database.driver, timeoutMs, () => database.ping()) : { status: "absent" },
  )
  const askEmbedder = shared(async () =>
    askModel((await models()).embedder, timeoutMs, (model, signal) => model.embed(["health"], "query", { signal })),
  )
  const askReranker = shared(async () =>
    askModel((await models()).reranker, timeoutMs, (model, signal) => model.score("health", ["health"], { signal })),
  )
  return async (detail) => {
    if (!detail) return { status: overall(await askDatabase()) }
    const [db, embed, rerank] = await Promise.all([askDatabase(), askEmbedder(), askReranker()])
    return { status: overall(db), components: { database: db, embedder: embed, reranker: rerank } }
  }
}

function overall({ status }: Component): HealthReport["status"] {
  return status === "unhealthy" ? "unhealthy" : "ok"
}

async function askModel<Model extends Embedder | Reranker>(
  model: Model | null,
  timeoutMs: number,
  run: (model: Model, signal: AbortSignal) => Promise<unknown>,
): Promise<Component> {
  return model ? ask(model.model, timeoutMs, (signal) => run(model, signal)) : { status: "absent" }
}

async function ask(
  name: string,
  timeoutMs: number,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<Component> {
  const began = performance.now()
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), timeoutMs)
  const late = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true })
  })
  const status = await Promise.race([run(stop.signal), late]).then(
    () => "ok" as const,
    () => "unhealthy" as const,
  )
  clearTimeout(timer)
  return { status, name, ms: Math.round((performance.now() - began) * 10) / 10 }
}

function shared<T>(run: () => Promise<T>): () => Promise<T> {
  let underway: Promise<T> | undefined
  return () => {
    underway ??= run().finally(() => {
      underway = undefined
    })
    return underway
  }
}
