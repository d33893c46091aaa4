import type { EnvironmentRecord } from "../../lib/config.ts"
import { AppError } from "../../lib/errors.ts"

/** What is sent, and how. */
export interface TelemetryPlan {
  readonly traces: boolean
  readonly metrics: boolean
  /** Of each signal, in the words of OTEL_EXPORTER_OTLP_PROTOCOL. */
  readonly protocols: Readonly<Record<"traces" | "metrics", Protocol>>
}

const PROTOCOLS = ["http/protobuf", "http/json"] as const
export type Protocol = (typeof PROTOCOLS)[number]

/**
 * What the variables ask for; null where they ask for nothing.
 *
 * @throws AppError `invalid_configuration` for an exporter or protocol that isn't here
 */
export function planTelemetry(environment: EnvironmentRecord): TelemetryPlan | null {
  const value = (key: string) => environment[key]?.trim() || undefined
  if (value("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return null
  const isOn = (signal: "TRACES" | "METRICS"): boolean => {
    const key = `OTEL_${signal}_EXPORTER`
    const endpoint = value("OTEL_EXPORTER_OTLP_ENDPOINT") ?? value(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`)
    const chosen = value(key) ?? (endpoint === undefined ? "none" : "otlp")
    if (chosen !== "otlp" && chosen !== "none") throw wrong(key, "otlp or none")
    return chosen === "otlp"
  }
  const protocolOf = (signal: "TRACES" | "METRICS"): Protocol => {
    const own = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`
    const key = value(own) === undefined ? "OTEL_EXPORTER_OTLP_PROTOCOL" : own
    const found = PROTOCOLS.find((protocol) => protocol === (value(key) ?? PROTOCOLS[0]))
    if (found === undefined)
      throw wrong(key, `${PROTOCOLS.join(" or ")}: gRPC is not spoken here, port 4318 takes both`)
    return found
  }
  const [traces, metrics] = [isOn("TRACES"), isOn("METRICS")]
  if (!traces && !metrics) return null
  return { traces, metrics, protocols: { traces: protocolOf("TRACES"), metrics: protocolOf("METRICS") } }
}

function wrong(field: string, what: string): AppError {
  const message = `must be ${what}`
  return new AppError("invalid_configuration", `${field} ${message}`, { fields: [{ field, message }] })
}
