import * as z from "zod"
import { createApp } from "../../functions/http/app.ts"
import type { AccessPolicy } from "../../functions/http/auth.ts"
import { createWrongKeys } from "../../functions/http/wrong-keys.ts"
import { openPort } from "../../functions/open-port.ts"
import type { Answer } from "../../lib/answers/answer.ts"
import { citationOf } from "../../lib/answers/sources.ts"
import { parseConfig } from "../../lib/config.ts"
import { deadlineIn } from "../../lib/deadline.ts"
import { IndexRequest } from "../../lib/documents/index-request.ts"
import { openLlm } from "../../lib/llm/open-llm.ts"
import { createLog } from "../../lib/log.ts"
import { openRuntime, type Runtime } from "../../lib/runtime/open-runtime.ts"
import { startFakeLlm } from "../fake-llm.ts"
import { testModelHome } from "../model-home.ts"

/** The whole service on a port of this machine, for clients of MCP. */
export interface ServedMcp {
  /** Without a path. */
  readonly url: string
  readonly runtime: Runtime
  readonly keys: Readonly<Record<"left" | "right" | "both" | "indexer", string>>
  readonly llm: Awaited<ReturnType<typeof startFakeLlm>>
  readonly lines: readonly string[]
  /** Citation of a chunk of `left` with a picture of its own. */
  readonly pictured: string
  close(): Promise<void>
}

/** A question with this word keeps the language model busy for a minute. */
export const SLOW = "slowly"

/**
 * Two tenants with the same ids and words: each has the documents `same`, `Odd/id #1 é?` and the bundle, whose chunks have
 * pictures. Its answers are of one step of retrieval and one call of a language model.
 */
export async function serveMcp({ policy = "keys" }: { readonly policy?: AccessPolicy } = {}): Promise<ServedMcp> {
  const llm = await startFakeLlm(({ user }) => ({ content: { ok: true }, delayMs: user.includes(SLOW) ? 60_000 : 0 }))
  const lines: string[] = []
  const log = createLog({ level: "debug", write: (line) => lines.push(line) })
  const config = parseConfig({
    CONCORDANCE_HOME: await testModelHome(),
    EMBEDDING_MODEL: "none",
    LLM_BASE_URL: llm.baseUrl,
    LLM_MODEL: "fake",
    ENRICH_DOCUMENTS: "false",
  })
  const runtime = await openRuntime(config, { log, databaseHome: "memory://" })
  const app = createApp({
    ...runtime,
    answers: {
      answer: oneStepAnswer(runtime, config),
      chat: () => Promise.reject(new Error("unused")),
      drawGraph: async () => "",
    },
    ...{ embedder: null, reranker: null, policy, peerAddress: () => "127.0.0.1" },
    ...{ trustedProxies: 0, wrongKeys: createWrongKeys(log) },
    ...{ answerTimeoutMs: 120_000, searchTimeoutMs: 10_000, indexTimeoutMs: 60_000, documentBytesMax: 1_000_000 },
    ...{ log, version: "0.0.0", root: process.cwd(), corsOrigins: [], serveApiDocs: true },
  })
  const port = await openPort(app, { host: "127.0.0.1", port: 0 })
  await loadTenants(runtime)
  const pictured = await findPictured(runtime)
  const key = async (tenants: string[], scopes: ("search" | "index")[]) =>
    (await runtime.keys.create({ name: "test", tenants, scopes })).key
  return {
    ...{ url: port.url, runtime, llm, lines, pictured },
    keys: {
      left: await key(["left"], ["search"]),
      right: await key(["right"], ["search"]),
      both: await key(["left", "right"], ["search"]),
      indexer: await key(["left"], ["index"]),
    },
    async close() {
      await llm.close()
      await port.close()
      await runtime.close()
    },
  }
}

/** Loads them into any runtime. */
export async function loadTenants(runtime: Runtime): Promise<void> {
  for (const tenant of ["left", "right"]) {
    const anomalies = [{ kind: "note", note: `${tenant} anomaly` }]
    const chunks = [{ content: `The ${tenant} secret of the harbour.`, anomalies }, { content: "Rope and tar." }]
    const requests = [
      { id: "same", title: `Harbour of ${tenant}`, chunks },
      { id: "Odd/id #1 é?", title: "Odd", content: `An odd id of ${tenant}, about ropes.` },
      { id: `${tenant} alone`, title: "Alone", content: "Nobody else has this." },
    ].map((request) => IndexRequest.parse(request))
    for (const outcome of await runtime.indexDocuments(tenant, requests, deadlineIn(60_000))) {
      if ("failed" in outcome) throw outcome.failed
    }
  }
  await runtime.importBundle("left", "samples/bundles/andorinha-inquiry-1934")
}

async function findPictured({ documentPages }: Runtime): Promise<string> {
  for (let page = 1; page <= 7; page++) {
    const { chunks } = await documentPages.get("left", "andorinha-inquiry-1934", page)
    const found = chunks.find(({ crop_url }) => crop_url !== undefined)
    if (found) return found.citation
  }
  throw new Error("The bundle has no picture")
}

function oneStepAnswer({ retrieve }: Runtime, config: Parameters<typeof openLlm>[0]): Answer {
  const model = openLlm(config)
  return async (tenant, { question = "", max_retries = 0 }, deadline, onEvent) => {
    onEvent?.({ type: "step", node: "retrieve", status: "started" })
    const { response } = await retrieve(tenant, { query: question, top_k: 2 }, deadline)
    onEvent?.({
      type: "step",
      node: "retrieve",
      status: "ended",
      step: { node: "retrieve", label: `${response.count}`, ms: 1 },
    })
    onEvent?.({ type: "step", node: "generate", status: "started" })
    await model?.ask({
      messages: [{ role: "user", content: question }],
      name: "answer",
      schema: z.object({ ok: z.boolean() }),
      signal: deadline.signal,
    })
    const citations = response.results.map(citationOf)
    const [first] = citations
    const refused = first === undefined
    return {
      answer: refused ? "Nothing was found." : `${first.content} ${first.citation}`,
      sentences: refused ? [] : [{ text: first.content, citations: [first.citation], support: "fully_supported" }],
      citations: citations.slice(0, 1),
      support: refused ? null : "fully_supported",
      ...{ useful: null, retrieved: true, refused, retries: max_retries, removed_citations: 0, generator: "fake" },
      usage: { calls: 1, prompt_tokens: 1, completion_tokens: 1, cached_tokens: 0, estimated: false },
    }
  }
}
