import { timingSafeEqual } from "node:crypto"
import type { Config } from "../../lib/config.ts"
import { AppError } from "../../lib/errors.ts"
import { EVERY_TENANT, hashKey, KeyScope, type Principal } from "../../lib/keys/api-key.ts"
import type { Authenticate } from "../../lib/keys/authenticator.ts"
import { createMemoryLimits } from "../../lib/limits/memory-limits.ts"
import { createRates } from "../../lib/limits/rates.ts"
import type { Log } from "../../lib/log.ts"
import { isLoopbackHost } from "../../lib/loopback.ts"
import { type AccessPolicy, createGuard } from "../http/auth.ts"
import { createWrongKeys } from "../http/wrong-keys.ts"
import { openPort, requireFreePort } from "../open-port.ts"
import { createInferenceApp } from "./inference-app.ts"
import { openServedModels } from "./open-served-models.ts"

interface RunningInferenceServer {
  readonly url: string
  /** Stops listening, lets requests finish, then closes the models. */
  close(): Promise<void>
}

const CALLER: Principal = { id: "inference", tenants: [EVERY_TENANT], scopes: KeyScope.options }

/**
 * Serves the models on HOST and PORT, for `EMBED_SERVICE_URL` of another process to name.
 *
 * @throws AppError `invalid_configuration` when strangers could reach it without a key, or the port is taken
 */
export async function runInferenceServer(config: Config, log: Log): Promise<RunningInferenceServer> {
  const access = accessOf(config)
  await requireFreePort(config)
  const inference = await openServedModels(config, log, { rerankerOnUse: false })
  try {
    const guard = createGuard({
      ...access,
      rates: createRates(createMemoryLimits()),
      peerAddress: (c) => c.env?.incoming?.socket.remoteAddress,
      trustedProxies: config.trustedProxies,
      wrongKeys: createWrongKeys(log),
    })
    const app = createInferenceApp({ ...inference, guard, timeoutMs: config.indexTimeoutMs, log })
    const { url, close } = await openPort(app, config)
    return {
      url,
      close: async () => {
        await close()
        await inference.close()
      },
    }
  } catch (error) {
    await inference.close()
    throw error
  }
}

function accessOf({ inferenceApiKey, host }: Config): { policy: AccessPolicy; authenticate: Authenticate } {
  if (inferenceApiKey !== undefined) return { policy: "keys", authenticate: knowsOne(inferenceApiKey) }
  if (isLoopbackHost(host)) return { policy: "loopback", authenticate: async () => null }
  throw new AppError(
    "invalid_configuration",
    `HOST=${host} can be reached by others: set INFERENCE_API_KEY, which callers then send as EMBED_SERVICE_API_KEY, or listen on 127.0.0.1.`,
  )
}

/** Digests are compared, so that the time it takes tells nothing of the key, its length included. */
function knowsOne(key: string): Authenticate {
  const expected = Buffer.from(hashKey(key))
  return async (presented) => (timingSafeEqual(Buffer.from(hashKey(presented)), expected) ? CALLER : null)
}
