/** What a span or a measurement says beside its name: words that are ours, counts and codes, never ids, queries or content. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** Which side of a call a span is: OpenTelemetry's words. */
export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer"

/** One piece of work that is traced. */
export interface Span {
  /** Hexadecimal, 32 and 16 digits. */
  readonly traceId: string
  readonly spanId: string
  /** What whoever is called is told, so that its spans join this trace (W3C Trace Context). */
  readonly traceparent: string
  set(attributes: Attributes): void
  rename(name: string): void
  /** Marks it as failed: an error's code or class, never its message. */
  fail(type: string): void
  end(): void
}

/** What is counted and measured; docs/operations.md says what each means. Times are in seconds. */
export type Metric =
  | "http.server.request.duration"
  | "concordance.requests.refused"
  | "concordance.search.stage.duration"
  | "concordance.ingest.jobs"
  | "concordance.ingest.pages"
  | "concordance.ingest.pages.failed"
  | "concordance.inference.queue.wait"
  | "concordance.inference.queue.depth"
  | "db.client.operation.duration"
  | "db.client.connection.count"
  | "db.client.connection.wait_time"
  | "gen_ai.client.operation.duration"
  | "gen_ai.client.token.usage"

/** Where spans and measurements go: OpenTelemetry's SDK, behind `functions/telemetry`. */
export interface Telemetry {
  /** `parent`: a span of this process, or a caller's `traceparent`; a malformed one begins a new trace. Null where nothing is traced. */
  startSpan(
    name: string,
    options: { kind: SpanKind; attributes: Attributes; parent: Span | string | null },
  ): Span | null
  /** Adds to a counter, or notes one value of a distribution. */
  measure(metric: Metric, value: number, attributes: Attributes): void
  /** Sends what is there. Waits a few seconds at most, and never rejects. */
  flush(): Promise<void>
  /** Sends what is there, and sends nothing more. */
  close(): Promise<void>
}
