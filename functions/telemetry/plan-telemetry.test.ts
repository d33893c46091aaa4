import { expect, test } from "vitest"
import { bundleFunction } from "../../tests/bundle-function.ts"
import { planTelemetry } from "./plan-telemetry.ts"

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }

test.each([
  ["nothing", {}],
  ["a name alone", { OTEL_SERVICE_NAME: "a" }],
  ["an endpoint and OTEL_SDK_DISABLED", { ...ENDPOINT, OTEL_SDK_DISABLED: "true" }],
  ["an endpoint and no exporter", { ...ENDPOINT, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }],
])("%s starts nothing", (_, environment) => {
  expect(planTelemetry(environment)).toBeNull()
})

test("an endpoint sends both, in protobuf; a signal can be left out, sent elsewhere and in JSON", () => {
  const both = { traces: "http/protobuf", metrics: "http/protobuf" }
  expect(planTelemetry(ENDPOINT)).toEqual({ traces: true, metrics: true, protocols: both })
  expect(planTelemetry({ OTEL_TRACES_EXPORTER: "otlp" })).toMatchObject({ traces: true, metrics: false })
  const one = {
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://a/v1/metrics",
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json",
  }
  expect(planTelemetry(one)).toMatchObject({ traces: false, metrics: true, protocols: { metrics: "http/json" } })
})

test("what isn't here is refused by its name", () => {
  expect(() => planTelemetry({ OTEL_TRACES_EXPORTER: "zipkin" })).toThrow("OTEL_TRACES_EXPORTER must be otlp or none")
  expect(() => planTelemetry({ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toThrow(
    /OTEL_EXPORTER_OTLP_PROTOCOL/,
  )
})

test("no function loads any of OpenTelemetry before its variables ask for it", async () => {
  for (const name of ["search", "answer"])
    expect((await bundleFunction(name)).loads("@opentelemetry"), name).toBe(false)
})
