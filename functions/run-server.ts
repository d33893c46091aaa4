import { setTimeout as sleep } from "node:timers/promises"
import type { Config } from "../lib/config.ts"
import { AppError } from "../lib/errors.ts"
import type { Log } from "../lib/log.ts"
import { isLoopbackHost } from "../lib/loopback.ts"
import { type LoadedSamples, loadSamples } from "../lib/runtime/load-samples.ts"
import { openRuntime, type Runtime } from "../lib/runtime/open-runtime.ts"
import type { AccessPolicy } from "./http/auth.ts"
import { openPort, requireFreePort } from "./open-port.ts"
import { createServerApp } from "./server-app.ts"

/** What closing models and database may take beyond the grace, ms. */
const CLOSING_MS = 5_000

const NO_SAMPLES: LoadedSamples = { indexed: 0, queued: 0 }

export interface RunningServer {
  /** Where it listens: `http://127.0.0.1:3825`. */
  readonly url: string
  /** What this start loads from `samples/`, once it has; the port is open meanwhile. Never rejects. */
  readonly samples: Promise<LoadedSamples>
  /**
   * Says that it isn't ready, waits SHUTDOWN_DELAY_MS, stops listening, lets requests finish for SHUTDOWN_GRACE_MS while ingestion is
   * put down, then closes models and database.
   */
  close(): Promise<void>
}

/**
 * Starts the whole service: database, keys and models, then the port; on an empty home the samples come last.
 *
 * @throws AppError `invalid_configuration` when it would serve strangers without a key, or the port is taken
 */
export async function runServer(config: Config, log: Log): Promise<RunningServer> {
  await requireFreePort(config)
  const runtime = await openRuntime(config, { log })
  try {
    const policy = await accessPolicy(config, runtime, log)
    for (const { role, model, tookMs, failure } of await runtime.inference.warm()) {
      if (failure)
        log.error("model failed its first run; it is tried again when it is used", { role, model, error: failure })
      else log.info("model ready", { role, model, ms: tookMs })
    }
    let isDraining = false
    const app = createServerApp(runtime, { config, policy, log, isDraining: () => isDraining })
    const port = await openPort(app, config)
    // They would not be found in somebody else's index.
    const isOwnIndex = config.vectordbProvider === "concordance"
    const samples = runtime.embedded && isOwnIndex ? loadSamplesOrLog(runtime, log) : Promise.resolve(NO_SAMPLES)
    const resumed = runtime.resumeIngest().catch((error: unknown) => {
      log.error("uploads of before this start could not be looked through", { error })
    })
    return {
      url: port.url,
      samples,
      close: async () => {
        isDraining = true
        port.drain()
        await sleep(config.shutdownDelayMs)
        const closing = async () => {
          const [hasAllFinished] = await Promise.all([port.close(config.shutdownGraceMs), runtime.ingest.close()])
          if (!hasAllFinished) log.warn("requests were cut off: they took longer than SHUTDOWN_GRACE_MS")
          await samples
          await resumed
          await runtime.close()
        }
        await within(config.shutdownGraceMs + CLOSING_MS, closing(), log)
      },
    }
  } catch (error) {
    await runtime.close()
    throw error
  }
}

/** Whatever hangs, the process ends in time; as after a kill, what was committed stays and the rest is taken up by the next start. */
async function within(ms: number, closing: Promise<void>, log: Log): Promise<void> {
  const patience = new AbortController()
  const late = sleep(ms, true, { signal: patience.signal }).catch(() => false)
  if (await Promise.race([closing.then(() => false), late]))
    log.warn("not everything closed in time; the next start takes it up")
  patience.abort()
}

async function loadSamplesOrLog(runtime: Runtime, log: Log): Promise<LoadedSamples> {
  try {
    return await loadSamples(runtime)
  } catch (error) {
    log.error("the samples could not be loaded; everything else works", { error })
    return NO_SAMPLES
  }
}

/** Who needs a key. Throws where strangers could come in before the first key exists. */
async function accessPolicy(config: Config, { embedded, keys }: Runtime, log: Log): Promise<AccessPolicy> {
  if (!embedded && config.migrationDatabaseUrl === undefined) {
    log.warn(
      "MIGRATION_DATABASE_URL is unset: the service is logged in with DATABASE_URL for migrations and requests alike, and relies on switching to the role concordance_app to keep tenants apart",
    )
  }
  if (config.concordanceServeWithoutKeys) {
    log.warn("CONCORDANCE_SERVE_WITHOUT_KEYS is true: whoever reaches the port may read and change every tenant")
    return "open"
  }
  if (embedded && isLoopbackHost(config.host)) return "loopback"
  if (await keys.hasUsable()) return "keys"
  const why = embedded ? `HOST=${config.host} can be reached by others` : "DATABASE_URL is set"
  throw new AppError(
    "invalid_configuration",
    `${why}, and there is no API key yet. Make one with\n  npm run -s concordance -- keys create <name>\nor set CONCORDANCE_SERVE_WITHOUT_KEYS=true to let everybody in.`,
  )
}
