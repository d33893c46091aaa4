import type { EnvironmentRecord } from "../../lib/config.ts"
import type { Log } from "../../lib/log.ts"
import type { Telemetry } from "../../lib/telemetry.ts"

/**
 * OpenTelemetry, as its standard environment variables ask for it; null, and nothing of it is loaded, where they ask for
 * nothing: no OTEL_EXPORTER_OTLP_ENDPOINT (or one of a signal's own), no OTEL_TRACES_EXPORTER, no OTEL_METRICS_EXPORTER.
 *
 * @throws AppError `invalid_configuration` for an exporter or protocol that isn't here
 */
export async function openTelemetry(environment: EnvironmentRecord, log: Log): Promise<Telemetry | null> {
  if (!Object.keys(environment).some((key) => key.startsWith("OTEL_"))) return null
  const { planTelemetry } = await import("./plan-telemetry.ts")
  const plan = planTelemetry(environment)
  if (plan === null) return null
  const { startSdk } = await import("./start-sdk.ts")
  return startSdk(plan, environment, log)
}
