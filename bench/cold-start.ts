import { deadlineIn } from "../lib/deadline.ts"
import { createIndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { mintKey } from "../lib/keys/api-key.ts"
import { createKeyRing } from "../lib/keys/key-ring.ts"
import { openTestDatabase } from "../tests/database.ts"
import { bundleFunctions } from "../tests/lambda/bundle-functions.ts"
import { startLambda } from "../tests/lambda/start-lambda.ts"
import { gatewayEvent } from "../tests/lambda-events.ts"
import { neonEdge } from "../tests/postgres-server.ts"
import { describeMachine } from "./machine.ts"
import { percentile, round } from "./metrics.ts"
import { startReadingModel } from "./reading-model.ts"

/** What the first answer of a new instance takes, ms. */
export interface FirstAnswer {
  /** From where Node and the runtime loop alone would have answered: the bundle's import, the key, the work. */
  readonly first_p50_ms: number
  readonly first_max_ms: number
  /** The second answer of the same instance. */
  readonly second_p50_ms: number
}

/** Cold starts of functions, in the Lambda runtime loop on this machine. */
export interface ColdStartFigures {
  readonly machine: string
  readonly rounds: number
  /** Node and the runtime loop alone, with a function that does nothing, ms from the start of the process. */
  readonly runtime_p50_ms: number
  readonly search: FirstAnswer
  /** By the documents' own sentences: the graph is not loaded. */
  readonly answer: FirstAnswer
  /** By the graph, with a language model that answers at once. */
  readonly answer_by_graph: FirstAnswer
}

const ROUNDS = 11

interface Start {
  readonly first: number
  readonly second: number
}

/** One instance: from the start of its process to its first answer, and from there to the second, ms. */
async function start(options: Parameters<typeof startLambda>[0], event: unknown): Promise<Start> {
  const began = performance.now()
  const lambda = await startLambda(options)
  const ask = async () => {
    const { payload, body } = await lambda.invoke(event)
    // What streams begins with its status.
    const head = payload ?? JSON.parse(body.toString("utf8").split("\0")[0] || "null")
    if ((head as { statusCode?: number } | null)?.statusCode !== 200)
      throw new Error(lambda.output() || body.toString())
    return performance.now()
  }
  const answered = await ask()
  const again = await ask()
  await lambda.stop()
  return { first: answered - began, second: again - answered }
}

/** Starts each function anew for each round, on a warm database behind the emulator of Neon's edge. */
export async function measureColdStart(): Promise<ColdStartFigures> {
  const database = await openTestDatabase()
  if (!database.urls) throw new Error("CONCORDANCE_TEST_DATABASE_URL names no server; `.ci/postgres` starts one")
  const bundles = await bundleFunctions(["search", "answer"])
  const model = await startReadingModel()
  try {
    const key = await seed(database)
    const env = {
      SST_RESOURCES_JSON: JSON.stringify({ App: {}, Database: { url: database.urls.login } }),
      NEON_LOCAL: await neonEdge(),
      EMBEDDING_MODEL: "none",
    }
    const byModel = { ...env, LLM_BASE_URL: model.baseUrl, LLM_MODEL: "reading double" }
    const headers = { "x-api-key": key, "content-type": "application/json" }
    const search = gatewayEvent({ method: "POST", path: "/search", headers, body: '{"query":"ferry"}' })
    const body = '{"question":"When does the ferry leave?"}'
    const answer = gatewayEvent({ method: "POST", path: "/answer", headers, body })
    const idle = await bundles.add("idle", "export const handler = async () => ({ statusCode: 200 })")
    const timeoutMs = 29_000
    const runtimeMs = percentile(
      (await starts({ bundle: idle, env, timeoutMs }, search)).map(({ first }) => first),
      50,
    )
    const figuresOf = async (name: string, event: unknown, env: Readonly<Record<string, string>>) =>
      firstAnswer(await starts({ bundle: bundles.path(name), env, timeoutMs }, event), runtimeMs)
    return {
      machine: describeMachine(),
      rounds: ROUNDS,
      runtime_p50_ms: round(runtimeMs, 0),
      search: await figuresOf("search", search, env),
      answer: await figuresOf("answer", answer, env),
      answer_by_graph: await figuresOf("answer", answer, byModel),
    }
  } finally {
    await model.close()
    await bundles.remove()
    await database.close()
  }
}

/** A key, and the document that is asked about. */
async function seed({ owner, database }: Awaited<ReturnType<typeof openTestDatabase>>): Promise<string> {
  const key = mintKey()
  await createKeyRing(owner).seed(key, "bench")
  const document = IndexRequest.parse({ id: "a", title: "Ferry", content: "The ferry leaves at nine." })
  await createIndexDocuments({ database, embedder: null })("primary", [document], deadlineIn(60_000))
  return key
}

/** One instance after another. */
async function starts(options: Parameters<typeof startLambda>[0], event: unknown): Promise<Start[]> {
  const times: Start[] = []
  // The first of all finds cold file caches.
  for (let i = 0; i <= ROUNDS; i++) times.push(await start(options, event))
  return times.slice(1)
}

function firstAnswer(times: readonly Start[], runtimeMs: number): FirstAnswer {
  const first = times.map((time) => time.first - runtimeMs)
  return {
    first_p50_ms: round(percentile(first, 50), 0),
    first_max_ms: round(Math.max(...first), 0),
    second_p50_ms: round(
      percentile(
        times.map(({ second }) => second),
        50,
      ),
      1,
    ),
  }
}
