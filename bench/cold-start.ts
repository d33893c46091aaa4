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

/** What the first search of a new instance takes, in the Lambda runtime loop on this machine. */
export interface ColdStartFigures {
  readonly machine: string
  readonly rounds: number
  /** Node and the runtime loop alone, with a function that does nothing, ms from the start of the process. */
  readonly runtime_p50_ms: number
  /** From there to the first answer: the bundle's import, the key, the search. */
  readonly first_p50_ms: number
  readonly first_max_ms: number
  /** The second answer of the same instance. */
  readonly second_p50_ms: number
}

const ROUNDS = 11

/** One instance: from the start of its process to its first answer, and from there to the second, ms. */
async function start(options: Parameters<typeof startLambda>[0], event: unknown) {
  const began = performance.now()
  const lambda = await startLambda(options)
  const ask = async () => {
    const { payload } = await lambda.invoke(event)
    if ((payload as { statusCode?: number } | null)?.statusCode !== 200) throw new Error(lambda.output())
    return performance.now()
  }
  const answered = await ask()
  const again = await ask()
  await lambda.stop()
  return { first: answered - began, second: again - answered }
}

/** Starts the search function anew for each round, on a warm database behind the emulator of Neon's edge. */
export async function measureColdStart(): Promise<ColdStartFigures> {
  const database = await openTestDatabase()
  if (!database.urls) throw new Error("CONCORDANCE_TEST_DATABASE_URL names no server; `.ci/postgres` starts one")
  const bundles = await bundleFunctions(["search"])
  try {
    const key = mintKey()
    await createKeyRing(database.owner).seed(key, "bench")
    const document = IndexRequest.parse({ id: "a", title: "Ferry", content: "The ferry leaves at nine." })
    await createIndexDocuments({ database: database.database, embedder: null })(
      "primary",
      [document],
      deadlineIn(60_000),
    )
    const env = {
      SST_RESOURCES_JSON: JSON.stringify({ App: {}, Database: { url: database.urls.login } }),
      NEON_LOCAL: await neonEdge(),
      EMBEDDING_MODEL: "none",
    }
    const headers = { "x-api-key": key, "content-type": "application/json" }
    const event = gatewayEvent({ method: "POST", path: "/search", headers, body: '{"query":"ferry"}' })
    const idle = await bundles.add("idle", "export const handler = async () => ({ statusCode: 200 })")
    const starts = async (bundle: string) => {
      const times: { readonly first: number; readonly second: number }[] = []
      // The first of all finds cold file caches.
      for (let i = 0; i <= ROUNDS; i++) times.push(await start({ bundle, env, timeoutMs: 29_000 }, event))
      return times.slice(1)
    }
    const [runtime, search] = [await starts(idle), await starts(bundles.path("search"))]
    const runtimeMs = percentile(
      runtime.map(({ first }) => first),
      50,
    )
    const first = search.map((times) => times.first - runtimeMs)
    return {
      machine: describeMachine(),
      rounds: ROUNDS,
      runtime_p50_ms: round(runtimeMs, 0),
      first_p50_ms: round(percentile(first, 50), 0),
      first_max_ms: round(Math.max(...first), 0),
      second_p50_ms: round(
        percentile(
          search.map(({ second }) => second),
          50,
        ),
        1,
      ),
    }
  } finally {
    await bundles.remove()
    await database.close()
  }
}
