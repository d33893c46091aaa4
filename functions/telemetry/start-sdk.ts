import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import {
  type Context,
  DiagLogLevel,
  diag,
  type Meter,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api"
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources"
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from "@opentelemetry/sdk-metrics"
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base"
import type { EnvironmentRecord } from "../../lib/config.ts"
import type { Log } from "../../lib/log.ts"
import type { Attributes, Metric, Span, SpanKind, Telemetry } from "../../lib/telemetry.ts"
import { VERSION } from "../version.ts"
import { METRIC_KINDS } from "./metric-kinds.ts"
import type { Protocol, TelemetryPlan } from "./plan-telemetry.ts"

/** A flush waits no longer, ms: on Lambda it stands between an answer and the end of its invocation. */
const FLUSH_MS = 2_000
/** Between two exports of metrics, ms, when OTEL_METRIC_EXPORT_INTERVAL doesn't say. */
const EXPORT_MS = 60_000
/** Between two log lines about a collector that takes nothing, ms. */
const COMPLAIN_EVERY_MS = 60_000

const KINDS: Readonly<Record<SpanKind, OtelSpanKind>> = {
  internal: OtelSpanKind.INTERNAL,
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  producer: OtelSpanKind.PRODUCER,
  consumer: OtelSpanKind.CONSUMER,
}

/**
 * Starts OpenTelemetry's SDK for what the plan sends. Endpoint, headers, timeout, sampler, batches and resource are read by the
 * SDK itself from the standard variables. Nothing global is set: who has the result, has it.
 */
export async function startSdk(plan: TelemetryPlan, environment: EnvironmentRecord, log: Log): Promise<Telemetry> {
  complainTo(log)
  const resource = resourceOf(environment)
  const tracers = plan.traces
    ? new BasicTracerProvider({
        resource,
        spanProcessors: [new BatchSpanProcessor(await spanExporter(plan.protocols.traces))],
      })
    : null
  const meters = plan.metrics
    ? new MeterProvider({
        resource,
        readers: [
          new PeriodicExportingMetricReader({
            exporter: await metricExporter(plan.protocols.metrics),
            ...intervals(environment),
          }),
        ],
      })
    : null
  const providers = [tracers, meters].filter((provider) => provider !== null)
  const measure = meters ? measurer(meters.getMeter("concordance", VERSION)) : () => undefined
  const tracer = tracers?.getTracer("concordance", VERSION)
  return {
    startSpan: (name, { kind, attributes, parent }) =>
      tracer ? spanOf(tracer.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent))) : null,
    measure,
    async flush() {
      await within(FLUSH_MS, () => Promise.all(providers.map((provider) => provider.forceFlush())))
    },
    async close() {
      await within(FLUSH_MS, () => Promise.all(providers.map((provider) => provider.shutdown())))
    },
  }
}

/** Neither the machine nor the command line is asked: what names them is OTEL_RESOURCE_ATTRIBUTES. */
function resourceOf(environment: EnvironmentRecord) {
  const lambda = environment["AWS_LAMBDA_FUNCTION_NAME"]
  const own = resourceFromAttributes({
    "service.name": "concordance",
    "service.version": VERSION,
    // Counters begin anew with each process, and its readers tell them apart by this.
    "service.instance.id": randomUUID(),
    ...(lambda && { "faas.name": lambda }),
  })
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }))
}

function intervals({ OTEL_METRIC_EXPORT_INTERVAL }: EnvironmentRecord) {
  const asked = Number(OTEL_METRIC_EXPORT_INTERVAL)
  const exportIntervalMillis = asked >= 100 ? asked : EXPORT_MS
  return { exportIntervalMillis, exportTimeoutMillis: Math.min(30_000, exportIntervalMillis) }
}

async function spanExporter(protocol: Protocol): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto")
  return new OTLPTraceExporter()
}

async function metricExporter(protocol: Protocol): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } =
    protocol === "http/json"
      ? await import("@opentelemetry/exporter-metrics-otlp-http")
      : await import("@opentelemetry/exporter-metrics-otlp-proto")
  return new OTLPMetricExporter()
}

const spans = new WeakMap<Span, OtelSpan>()

function spanOf(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const own: Span = {
    traceId,
    spanId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    set: (attributes) => void span.setAttributes(attributes),
    rename: (name) => void span.updateName(name),
    fail: (type) => void span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  }
  spans.set(own, span)
  return own
}

function contextOf(parent: Span | string | null): Context {
  if (parent === null) return ROOT_CONTEXT
  if (typeof parent !== "string") {
    const span = spans.get(parent)
    return span ? trace.setSpan(ROOT_CONTEXT, span) : ROOT_CONTEXT
  }
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent) ?? []
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags ?? "0", 16) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function measurer(meter: Meter): Telemetry["measure"] {
  const entries = Object.entries(METRIC_KINDS).map(([name, { kind, unit, description, bounds }]) => {
    const options = { unit, description, ...(bounds && { advice: { explicitBucketBoundaries: bounds } }) }
    if (kind === "histogram") {
      const histogram = meter.createHistogram(name, options)
      return [name, (value: number, attributes: Attributes) => histogram.record(value, attributes)] as const
    }
    const counter = kind === "counter" ? meter.createCounter(name, options) : meter.createUpDownCounter(name, options)
    return [name, (value: number, attributes: Attributes) => counter.add(value, attributes)] as const
  })
  const instruments = new Map<string, (value: number, attributes: Attributes) => void>(entries)
  return (metric: Metric, value, attributes) => instruments.get(metric)?.(value, attributes)
}

async function within(ms: number, work: () => Promise<unknown>): Promise<void> {
  const stop = new AbortController()
  const late = sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)
  await Promise.race([work().catch(() => undefined), late])
  stop.abort()
}

/** A collector that takes nothing is told about, now and then. What the SDK says of it may repeat its answer, and is left out. */
function complainTo(log: Log): void {
  let last = -Infinity
  const complain = () => {
    if (performance.now() - last < COMPLAIN_EVERY_MS) return
    last = performance.now()
    log.warn("traces or metrics could not be sent: look at OTEL_EXPORTER_OTLP_ENDPOINT and its collector")
  }
  const quiet = () => undefined
  diag.setLogger(
    { error: complain, warn: complain, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}
