import { setTimeout as sleep } from "node:timers/promises"
import { createLog } from "../../lib/log.ts"
import { configFromEnvironment } from "../environment.ts"
import { createInferenceHandler } from "./inference-handler.ts"
import { openServedModels } from "./open-served-models.ts"

/** Lambda ends an instance's start after 10 s and begins it anew; what isn't loaded by then goes on in the first call, ms. */
const START_MS = 8_000

const config = configFromEnvironment()
const log = createLog({ level: config.logLevel, write: (line) => process.stdout.write(line) })
const lambda = createInferenceHandler({
  openModels: () => openServedModels(config, log, { rerankerOnUse: true }),
  timeoutMs: config.indexTimeoutMs,
  log,
})
await Promise.race([lambda.ready, sleep(START_MS, undefined, { ref: false })])

/** `{path, body}` of the models' HTTP surface → `{status, body}`. Invoked by the other functions, never by strangers. */
export const { handler } = lambda
