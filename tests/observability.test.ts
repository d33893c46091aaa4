import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { runInferenceServer } from "../functions/inference/run-inference-server.ts"
import { openTelemetry } from "../functions/telemetry/open-telemetry.ts"
import { runActivity } from "../lib/activity.ts"
import { parseConfig } from "../lib/config.ts"
import { KeyScope } from "../lib/keys/api-key.ts"
import { createLog } from "../lib/log.ts"
import type { Telemetry } from "../lib/telemetry.ts"
import { type AskedName, replyOf } from "./answering.ts"
import { startFakeLlm } from "./fake-llm.ts"
import { testModelHome } from "./model-home.ts"
import { startModelService } from "./model-service.ts"
import { type Served, serve } from "./served.ts"

// The whole product under its most talkative settings, with a collector that keeps what it is sent.

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
}

const MARKER = "zyxquorn"
const REQUEST = "req-of-the-caller"
const TRACE = "0af7651916cd43dd8448eb211c80319c"

let collector: Awaited<ReturnType<typeof startModelService>>
let llm: Awaited<ReturnType<typeof startFakeLlm>>
let inference: Awaited<ReturnType<typeof runInferenceServer>>
let telemetry: Telemetry
let served: Served
const lines: string[] = []
const inferenceLines: string[] = []

const observed = <T>(work: () => T): T => runActivity({ requestId: null, telemetry, span: null, times: null }, work)

beforeAll(async () => {
  collector = await startModelService(() => ({ json: {} }))
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }
  const log = createLog({ level: "debug", write: (line) => lines.push(line) })
  const started = await openTelemetry(environment, log)
  if (!started) throw new Error("nothing was started")
  telemetry = started
  llm = await startFakeLlm(({ name, user }) =>
    user.includes("unanswerable")
      ? { status: 400, text: `{"error": "${MARKER}"}` }
      : replyOf(name as AskedName, LABELS[name] ?? "YES"),
  )
  const toldLog = createLog({ level: "debug", write: (line) => inferenceLines.push(line) })
  const settings = { CONCORDANCE_HOME: await testModelHome(), PORT: "0" }
  inference = await runInferenceServer(parseConfig(settings), toldLog)
  served = await observed(() =>
    serve({
      policy: "keys",
      isMigrated: true,
      environment: {
        LOG_LEVEL: "debug",
        EMBED_SERVICE_URL: inference.url,
        LLM_BASE_URL: llm.baseUrl,
        LLM_MODEL: "double",
      },
    }),
  )
}, 300_000)
afterAll(async () => {
  vi.unstubAllEnvs()
  await served?.close()
  await Promise.all([inference?.close(), llm?.close(), telemetry?.close()])
  await collector?.close()
})

const LABELS: Readonly<Record<string, string>> = {
  text: `The ${MARKER} turns at noon [Doc 1].`,
  SupportGrade: "fully_supported",
  UsefulnessGrade: "useful",
  RewrittenQuery: MARKER,
}

test("nothing of a query, a title, a file, an id, a key or an error stands in any log line, span or measurement", async () => {
  const { key: secret } = await served.runtime.keys.create({ name: MARKER, tenants: ["*"], scopes: KeyScope.options })
  const headers = {
    authorization: `Bearer ${secret}`,
    "x-request-id": REQUEST,
    traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
  }
  const ask = (method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
    observed(() =>
      served.send(
        method,
        path,
        body instanceof FormData ? body : body === undefined ? undefined : JSON.stringify(body),
        {
          ...headers,
          ...more,
        },
      ),
    )
  const document = {
    id: `${MARKER}/one`,
    title: `About ${MARKER}`,
    content: `The ${MARKER} turns at noon.`,
    metadata: { [MARKER]: MARKER },
  }
  expect((await ask("POST", "/index", document)).status).toBe(201)
  const search = { query: `${MARKER} noon`, filter: { [MARKER]: MARKER }, rerank: true, mmr: true }
  const found = await ask("POST", "/search", search)
  expect(found.status).toBe(200)
  expect(found.headers.get("server-timing")).toMatch(/auth;dur=.*embed;dur=.*rank;dur=.*rerank;dur=.*total;dur=/)
  expect((await ask("POST", "/answer", { question: `When does the ${MARKER} turn?` })).status).toBe(200)
  expect((await ask("POST", "/answer", { question: `unanswerable ${MARKER}` })).status).toBeGreaterThanOrEqual(400)
  const form = new FormData()
  form.set("file", new File([`# ${MARKER}\n\nThe ${MARKER} turns.`], `${MARKER}.md`))
  form.set("metadata", JSON.stringify({ [MARKER]: MARKER }))
  expect((await ask("POST", "/documents", form)).status).toBe(202)
  const broken = new FormData()
  broken.set("file", new File([`%PDF-1.7 ${MARKER}`], `${MARKER}.pdf`))
  expect((await ask("POST", "/documents", broken)).status).toBeLessThan(500)
  await served.runtime.ingest.idle()
  for (const path of [
    `/documents/${MARKER}%2Fone`,
    `/documents/${MARKER}`,
    `/crop/${MARKER}/1?chunk=${MARKER}`,
    `/${MARKER}?${MARKER}=1`,
  ]) {
    const { headers: told } = await ask("GET", path)
    expect(told.get("server-timing")).toMatch(/total;dur=/)
  }
  for (const body of [
    { query: MARKER, top_k: MARKER },
    { query: MARKER, source_account_id: `${MARKER}` },
    { query: "a", cursor: MARKER },
  ])
    await ask("POST", "/search", body)
  expect((await ask("POST", "/search", { query: "a" }, { authorization: `Bearer ${MARKER}` })).status).toBe(401)
  await ask(MARKER.toUpperCase(), "/search")
  await telemetry.flush()

  const sent = collector.requests.map(({ path, body }) => `${path} ${JSON.stringify(body)}`)
  expect(sent.some((text) => text.startsWith("/v1/traces"))).toBe(true)
  expect(sent.some((text) => text.startsWith("/v1/metrics"))).toBe(true)
  for (const text of [...sent, ...lines, ...served.lines, ...inferenceLines])
    expect(text.toLowerCase()).not.toContain(MARKER)
  expect(sent.join("")).not.toContain(secret)
}, 240_000)

const spans = (): SentSpan[] =>
  collector.requests
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ body }) => body["resourceSpans"] as { scopeSpans: { spans: SentSpan[] }[] }[])
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans))

test("one trace, which the caller began, holds the request, the stages of its search, the database, the models and the job", () => {
  const names = new Set(
    spans()
      .filter(({ traceId }) => traceId === TRACE)
      .map(({ name }) => name),
  )
  for (const name of ["POST /search", "auth", "embed", "rank", "fuse", "rerank", "cite", "db", "inference", "objects"])
    expect(names, name).toContain(name)
  for (const name of [
    "POST /answer",
    "retrieve",
    "generator",
    "chat double",
    "POST /documents",
    "ingest",
    "fetch",
    "chunks",
    "publish",
  ])
    expect(names, name).toContain(name)
  const rank = spans().find(({ name }) => name === "rank")
  expect(spans().some(({ name, parentSpanId }) => name === "db" && parentSpanId === rank?.spanId)).toBe(true)
})

test("the measurements are those that docs/operations.md names", () => {
  const metrics = JSON.stringify(
    collector.requests.filter(({ path }) => path === "/v1/metrics").map(({ body }) => body),
  )
  for (const name of ["http.server.request.duration", "concordance.search.stage.duration", "concordance.ingest.jobs"])
    expect(metrics).toContain(name)
  for (const name of ["concordance.requests.refused", "db.client.operation.duration", "gen_ai.client.token.usage"])
    expect(metrics).toContain(name)
})

test("the id that the caller got stands in the lines of the request, of the worker that reads the upload, and of the models' server", () => {
  const of = (all: readonly string[], message: string) =>
    all.map((line) => JSON.parse(line)).filter((line) => line.message === message && line.requestId === REQUEST)
  expect(of(served.lines, "request").length).toBeGreaterThan(5)
  expect(of(served.lines, "request")[0]).toMatchObject({
    trace_id: TRACE,
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
  })
  expect(
    of(served.lines, "upload worked on")
      .map(({ outcome }) => outcome)
      .sort(),
  ).toEqual(["failed", "ready"])
  expect(of(inferenceLines, "request").length).toBeGreaterThan(0)
})

test("a caller's id that is too long or could break a line goes nowhere", async () => {
  for (const id of [`a${randomBytes(100).toString("hex")}`, 'a"b', "a b"]) {
    const before = served.lines.length
    await observed(() => served.send("GET", "/health", undefined, { "x-request-id": id }))
    expect(served.lines.slice(before).join("")).not.toContain(id)
  }
})
