import { currentActivity, runActivity } from "../../lib/activity.ts"
import type { Log } from "../../lib/log.ts"
import { telemetryEnvironment } from "../environment.ts"
import { openTelemetry } from "./open-telemetry.ts"

/** Runs a server's whole life: all of it is traced and measured, where the environment asks for it, and the rest is sent at its end. */
export async function runObserved(log: Log, life: () => Promise<void>): Promise<void> {
  const telemetry = await openTelemetry(telemetryEnvironment(), log)
  try {
    await runActivity({ ...currentActivity(), telemetry }, life)
  } finally {
    await telemetry?.close()
  }
}
