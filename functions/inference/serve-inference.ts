import type { EnvironmentRecord } from "../../lib/config.ts"
import { createLog } from "../../lib/log.ts"
import { configFromEnvironment } from "../environment.ts"
import { stopOnSignal } from "../stop-on-signal.ts"
import { runObserved } from "../telemetry/run-observed.ts"
import { runInferenceServer } from "./run-inference-server.ts"

/** Serves the models over plain HTTP until a signal ends it. `more` goes before the environment. */
export async function serveInference(more: EnvironmentRecord = {}): Promise<void> {
  const config = configFromEnvironment(more)
  const write = (line: string) => process.stderr.write(line)
  const log = createLog({ level: config.logLevel, write, readable: process.stderr.isTTY === true })
  await runObserved(log, async () => {
    const server = await runInferenceServer(config, log)
    const stopped = stopOnSignal(server)
    log.info("listening", { url: server.url })
    await stopped
  })
}
