import { tmpdir } from "node:os"
import { join } from "node:path"
import { type StageTime, stage } from "../../lib/activity.ts"
import type { Answer } from "../../lib/answers/answer.ts"
import type { AnswerResponse } from "../../lib/answers/response.ts"
import { AppError } from "../../lib/errors.ts"
import { EVERY_TENANT, KeyScope, type Principal } from "../../lib/keys/api-key.ts"
import { createMemoryLimits } from "../../lib/limits/memory-limits.ts"
import { createRates } from "../../lib/limits/rates.ts"
import { createLog } from "../../lib/log.ts"
import { type AppParts, createApp } from "./app.ts"
import { createWrongKeys } from "./wrong-keys.ts"

/** Keys that the app of a test knows. */
const KEYS: Readonly<Record<string, Principal>> = {
  acme: { id: "key_acme", tenants: ["acme"], scopes: KeyScope.options },
  two: { id: "key_two", tenants: ["acme", "primary"], scopes: KeyScope.options },
  every: { id: "key_every", tenants: [EVERY_TENANT], scopes: KeyScope.options },
  reader: { id: "key_reader", tenants: ["acme"], scopes: ["search"] },
  slow: { id: "key_slow", tenants: ["acme"], scopes: KeyScope.options, ratePerMinute: 2 },
}

/** Documents of which none is there; `missing` can't be deleted either. */
function documentParts(reached: { tenant: string; request: object }[], missing: AppError) {
  const absent = async (tenant: string, id: string) => {
    reached.push({ tenant, request: { id } })
    throw missing
  }
  const remove = async (tenant: string, id: string) => {
    reached.push({ tenant, request: { id } })
    return id !== "missing"
  }
  return {
    documents: {
      list: async (tenant, request) => {
        reached.push({ tenant, request })
        return { documents: [] }
      },
      idsFrom: async () => [],
      get: absent,
      delete: remove,
    },
    ingest: {
      add: async (tenant, request) => {
        reached.push({ tenant, request })
        return { id: request.id ?? "made-up", status: "queued" }
      },
      presign: async () => null,
      received: async () => "ignored",
      originOf: async () => ({}),
      removed: async () => false,
      documentOf: async () => null,
      collect: async () => null,
      delete: remove,
      reset: async () => 0,
    },
    countCollection: async (tenant) => {
      reached.push({ tenant, request: {} })
      return { documents: 0, passages: 0, pages: 0, waiting: 0, failed: 0, failures: [] }
    },
    documentPages: {
      list: absent,
      get: absent,
      image: absent,
      regions: absent,
      chunks: absent,
      chunk: absent,
      table: absent,
    },
    pagePictures: { whole: absent, part: absent },
    feedback: { note: async (tenant, request) => void reached.push({ tenant, request }), judgments: async () => [] },
  } satisfies Partial<AppParts>
}

/** The whole app on functions that record what reaches them; tests of the edge stand on it. */
export function createTestApp(overrides: Partial<AppParts> = {}) {
  const reached: { tenant: string; request: object }[] = []
  const lines: string[] = []
  const missing = new AppError("not_found", "There is no document with this id")
  const log = createLog({ level: "debug", write: (line) => lines.push(line) })
  const parts: AppParts = {
    search: async (tenant, request) => {
      reached.push({ tenant, request })
      const timings: StageTime[] = []
      await stage("rank", () => undefined, { onEnd: (ms) => timings.push({ stage: "rank", ms }) })
      return { response: { results: [], count: 0, strategy: "rrf" }, timings }
    },
    retrieve: async (tenant, request) => {
      reached.push({ tenant, request })
      return { response: { results: [], count: 0, strategy: "weighted" }, timings: [] }
    },
    indexDocuments: async (tenant, requests) => {
      reached.push(...requests.map((request) => ({ tenant, request })))
      return requests.map(({ id }) => ({ id, indexed: { status: "indexed" } }))
    },
    answers: answerParts((tenant, request) => reached.push({ tenant, request })),
    ...documentParts(reached, missing),
    ...archiveParts((tenant, request) => reached.push({ tenant, request })),
    health: async () => ({ status: "ok" }),
    embedder: null,
    reranker: null,
    authenticate: async (key) => KEYS[key] ?? null,
    policy: "loopback",
    embeddingMeter: {},
    readUsage: async (tenant, request) => {
      reached.push({ tenant, request })
      throw new AppError("internal", "Nothing is counted here")
    },
    rates: createRates(createMemoryLimits()),
    root: process.cwd(),
    peerAddress: () => "127.0.0.1",
    trustedProxies: 0,
    answerTimeoutMs: 1_000,
    searchTimeoutMs: 1_000,
    indexTimeoutMs: 1_000,
    documentBytesMax: 10_000,
    tempFolder: join(tmpdir(), "concordance-test-app"),
    log,
    wrongKeys: createWrongKeys(log),
    version: "0.0.0",
    corsOrigins: [],
    serveApiDocs: true,
    ...overrides,
  }
  const app = createApp(parts)
  const send = (
    method: string,
    path: string,
    body?: string | Uint8Array | ReadableStream,
    headers: Record<string, string> = {},
  ) =>
    app.request(path, {
      method,
      headers: {
        host: "127.0.0.1:3825",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body, duplex: "half" }),
    } as RequestInit)
  const post = (path: string, body: unknown, headers?: Record<string, string>) =>
    send("POST", path, typeof body === "string" ? body : JSON.stringify(body), headers)
  return { app, parts, reached, lines, send, post }
}

/** Answers are refusals. */
function answerParts(reach: (tenant: string, request: object) => void): AppParts["answers"] {
  const refuse: Answer = async (tenant, request) => {
    reach(tenant, request)
    return refusal
  }
  return {
    answer: refuse,
    chat: (tenant, request, deadline) => refuse(tenant, { ...request, retrieval: "auto" }, deadline),
    drawGraph: async () => "graph TD;",
  }
}

const refusal: AnswerResponse = {
  answer: "Nothing was found.",
  sentences: [],
  citations: [],
  support: null,
  useful: null,
  retrieved: true,
  refused: true,
  retries: 0,
  removed_citations: 0,
  generator: "extractive",
  usage: { calls: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, estimated: false },
}

/** Entities and anomalies: there are none. */
function archiveParts(reach: (tenant: string, request: object) => void): Pick<AppParts, "entities" | "anomalies"> {
  return {
    entities: {
      list: async (tenant, request) => {
        reach(tenant, request)
        return { entities: [] }
      },
      mentions: async (tenant, id, request) => {
        reach(tenant, { id, ...request })
        throw new AppError("not_found", "There is no entity with this id")
      },
      rebuild: async () => ({ entities: 0, mentions: 0 }),
    },
    anomalies: {
      list: async (tenant, request) => {
        reach(tenant, request)
        return { anomalies: [] }
      },
    },
  }
}
