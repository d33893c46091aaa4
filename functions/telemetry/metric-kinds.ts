import type { Metric } from "../../lib/telemetry.ts"

interface MetricKind {
  readonly kind: "histogram" | "counter" | "updown"
  readonly unit: string
  readonly description: string
  /** Upper bounds of a histogram's buckets. */
  readonly bounds?: number[]
}

/** Those that OpenTelemetry advises for requests, s. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** A stage of a search takes 0.1 to 100 ms. */
const SHORT_SECONDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
/** Language models take seconds to minutes. */
const LONG_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160]
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144]

/** What each measurement is to OpenTelemetry. */
export const METRIC_KINDS: Readonly<Record<Metric, MetricKind>> = {
  "http.server.request.duration": {
    ...{ kind: "histogram", unit: "s", bounds: SECONDS },
    description: "Time until an answer began",
  },
  "concordance.requests.refused": {
    ...{ kind: "counter", unit: "{request}" },
    description: "Requests answered with 401, 403, 429 or 503",
  },
  "concordance.search.stage.duration": {
    ...{ kind: "histogram", unit: "s", bounds: SHORT_SECONDS },
    description: "Time of one stage of a search",
  },
  "concordance.ingest.jobs": {
    ...{ kind: "counter", unit: "{run}" },
    description: "Runs of upload jobs, by what became of them",
  },
  "concordance.ingest.pages": { ...{ kind: "counter", unit: "{page}" }, description: "Pages that were read" },
  "concordance.ingest.pages.failed": {
    ...{ kind: "counter", unit: "{page}" },
    description: "Pages that could not be read",
  },
  "concordance.inference.queue.wait": {
    ...{ kind: "histogram", unit: "s", bounds: SHORT_SECONDS },
    description: "Wait for the models of this process",
  },
  "concordance.inference.queue.depth": {
    ...{ kind: "updown", unit: "{batch}" },
    description: "Batches that wait for the models of this process",
  },
  "db.client.operation.duration": {
    ...{ kind: "histogram", unit: "s", bounds: SHORT_SECONDS },
    description: "Time of a batch or a transaction",
  },
  "db.client.connection.count": {
    ...{ kind: "updown", unit: "{connection}" },
    description: "Connections of the pool in use",
  },
  "db.client.connection.wait_time": {
    ...{ kind: "histogram", unit: "s", bounds: SHORT_SECONDS },
    description: "Wait for a connection of the pool",
  },
  "gen_ai.client.operation.duration": {
    ...{ kind: "histogram", unit: "s", bounds: LONG_SECONDS },
    description: "Time of a call of the language model",
  },
  "gen_ai.client.token.usage": {
    ...{ kind: "histogram", unit: "{token}", bounds: TOKENS },
    description: "Tokens of a call of the language model",
  },
}
