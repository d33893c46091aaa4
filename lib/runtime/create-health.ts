import type { Database } from "../database/database.ts"
import type { Health, HealthReport } from "../health.ts"
import type { Embedder, Reranker } from "../inference/inference.ts"

interface HealthDeps {
  /** Null where there is none: the models alone are served. */
  readonly database: Database | null
  /** The external index that is searched; null or absent: it is the database. */
  readonly index?: () => Promise<{ readonly engine: string; health(signal: AbortSignal): Promise<void> } | null>
  /** Asked for in detail alone. */
  readonly models: () => Promise<{ readonly embedder: Embedder | null; readonly reranker: Reranker | null }>
  /** Models of single tenants that couldn't be opened here, by name. */
  readonly unopened?: () => readonly string[]
  /** What hasn't answered by then is unhealthy, ms. */
  readonly timeoutMs: number
}

type Component = NonNullable<HealthReport["components"]>["database"]

/**
 * Asks the database and, in detail, each model for something small. Only the database and an external index decide: without a model,
 * searches still answer by words. Questions that come while one is under way share its answer, so that a load
 * balancer never queues behind a slow database.
 */
export function createHealth({ database, index, models, unopened = () => [], timeoutMs }: HealthDeps): Health {
  const askDatabase = shared<Component>(async () =>
    database ? ask(database.driver, timeoutMs, () => database.ping()) : { status: "absent" },
  )
  const askEmbedder = shared(async () =>
    askModel((await models()).embedder, timeoutMs, (model, signal) => model.embed(["health"], "query", { signal })),
  )
  const askReranker = shared(async () =>
    askModel((await models()).reranker, timeoutMs, (model, signal) => model.score("health", ["health"], { signal })),
  )
  const askIndex = shared(() => askForeign(index, timeoutMs))
  return async (detail) => {
    const asked = Promise.all([askDatabase(), askIndex()])
    if (!detail) return { status: overall(await asked) }
    const [[db, foreign], embed, rerank] = await Promise.all([asked, askEmbedder(), askReranker()])
    const failed = unopened()
    const components = {
      ...{ database: db, embedder: embed, reranker: rerank },
      ...(foreign && { index: foreign }),
      ...(failed.length > 0 && { tenant_models: { status: "unhealthy" as const, name: failed.join(", ") } }),
    }
    return { status: overall([db, foreign]), components }
  }
}

function overall(components: readonly (Component | null)[]): HealthReport["status"] {
  return components.some((component) => component?.status === "unhealthy") ? "unhealthy" : "ok"
}

/** Null where the database is the index; one that can't even be opened is unhealthy. */
async function askForeign(open: HealthDeps["index"], timeoutMs: number): Promise<Component | null> {
  const opening = open?.()
  if (!opening) return null
  let isForeign = true
  const asked = await ask("index", timeoutMs, async (signal) => {
    const index = await opening
    isForeign = index !== null
    await index?.health(signal)
  })
  return isForeign ? { ...asked, name: (await opening.catch(() => null))?.engine ?? "external index" } : null
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
