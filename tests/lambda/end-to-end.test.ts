import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { mintKey } from "../../lib/keys/api-key.ts"
import { createKeyRing } from "../../lib/keys/key-ring.ts"
import { openTestDatabase, type TestDatabase } from "../database.ts"
import { type GatewayAnswer, gatewayEvent } from "../lambda-events.ts"
import { neonEdge } from "../postgres-server.ts"
import { type BundledFunctions, bundleFunctions } from "./bundle-functions.ts"
import { type Cloud, startCloud } from "./cloud.ts"
import { type StartedLambda, startLambda } from "./start-lambda.ts"

// The way of a file on AWS, each part as it is deployed but for the cloud itself: bundles in the Lambda runtime loop, S3's
// and SQS's protocols, Neon's driver. A presigned PUT, the bucket's event, the queue, the ingestion; then search and crop.

const FUNCTIONS = ["documents", "ingest", "search", "crop", "answer"] as const
/** An id whose every kind of character has to survive CloudFront, API Gateway and the bucket's events. */
const ICE_HOUSE = "reports/ice house #1: 50%?"
/** Of the ingestion; work stops 30 s before it. */
const INGEST_TIMEOUT_MS = 120_000

let database: TestDatabase
let cloud: Cloud
let bundles: BundledFunctions
const lambdas = new Map<string, StartedLambda>()
const key = mintKey()

beforeAll(async () => {
  database = await openTestDatabase()
  if (!database.urls) throw new Error("CONCORDANCE_TEST_DATABASE_URL names no server: npm run test:lambda starts one")
  await createKeyRing(database.owner).seed(key, "test")
  cloud = await startCloud()
  bundles = await bundleFunctions(FUNCTIONS)
  const resources = {
    App: { name: "concordance", stage: "test" },
    Database: { url: database.urls.login },
    ObjectStore: { bucket: cloud.bucket },
    IngestMessages: { url: cloud.queueUrl },
  }
  const env = {
    ...cloud.env,
    SST_RESOURCES_JSON: JSON.stringify(resources),
    NEON_LOCAL: await neonEdge(),
    // The emulator's bucket has no host of its own.
    OBJECT_STORE_ENDPOINT: cloud.env["AWS_ENDPOINT_URL"] ?? "",
    EMBEDDING_MODEL: "none",
  }
  for (const name of FUNCTIONS) {
    const timeoutMs = name === "ingest" ? INGEST_TIMEOUT_MS : 29_000
    lambdas.set(name, await startLambda({ bundle: bundles.path(name), env, timeoutMs }))
  }
}, 180_000)
afterAll(async () => {
  for (const lambda of lambdas.values()) await lambda.stop()
  await cloud?.stop()
  await bundles?.remove()
  await database?.close()
})

function lambdaOf(name: (typeof FUNCTIONS)[number]): StartedLambda {
  const lambda = lambdas.get(name)
  if (!lambda) throw new Error(`${name} is not started`)
  return lambda
}

async function ask(name: (typeof FUNCTIONS)[number], method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) }
  const event = gatewayEvent({ method, path, headers, ...(body && { body: JSON.stringify(body) }) })
  const { payload, error } = await lambdaOf(name).invoke(event)
  if (error) throw new Error(`${name}: ${error.errorType}: ${error.errorMessage}\n${lambdaOf(name).output()}`)
  const answer = payload as GatewayAnswer
  const bytes = Buffer.from(answer.body, answer.isBase64Encoded ? "base64" : "utf8")
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of many shapes
  return { status: answer.statusCode, headers: answer.headers, bytes, json: () => JSON.parse(bytes.toString()) as any }
}

/** Puts a file as a client does: asks for a URL, and sends the bytes there. */
async function put(id: string, fileName: string, bytes: Uint8Array): Promise<void> {
  const asked = await ask("documents", "POST", "/documents", {
    id,
    file_name: fileName,
    content_type: "application/pdf",
  })
  expect(asked.status).toBe(202)
  const { url, headers } = asked.json().upload
  expect((await fetch(url, { method: "PUT", headers, body: new Uint8Array(bytes) })).status).toBe(200)
}

/** Waits until a document is done, whichever way. */
async function settled(id: string) {
  for (;;) {
    const found = await ask("documents", "GET", `/documents/${encodeURIComponent(id)}`)
    if (found.status === 200 && ["ready", "failed"].includes(found.json().status)) return found.json()
    await sleep(200)
  }
}

/** Deliveries whose process is killed; at the third the job has failed, without its file being read. */
const KILLS = 2

/** What running out of memory looks like from outside: the process is gone once it has taken the job up for the nth time. */
async function killWhileReading(ingest: StartedLambda, nth: number): Promise<void> {
  const attempts = async () => {
    const [job] = await database.owner.session((session) =>
      session.query<{ attempts: number }>(
        "select attempts from concordance.ingest_jobs where document_id = 'poison' and state = 'processing'",
      ),
    )
    return job?.attempts ?? 0
  }
  while ((await attempts()) < nth) await sleep(20)
  ingest.kill()
}

test("files become searchable passages with their pictures; one that kills its Lambda ends among the dead letters and harms none", async () => {
  const ingest = lambdaOf("ingest")
  let deliveries = 0
  cloud.deliverTo(ingest, (body) => {
    if (body.includes("poison") && ++deliveries <= KILLS) void killWhileReading(ingest, deliveries)
  })
  await put(ICE_HOUSE, "ice house.pdf", await readFile("samples/en/ice-house-report-1936.pdf"))
  await put("poison", "poison.pdf", await readFile("samples/pt/edital-do-sal-1949.pdf"))
  await put(
    "ferry",
    "ferry.txt",
    Buffer.from("The ferry to Penhalta leaves at nine in the morning, but for Sundays.\n"),
  )

  expect(await settled(ICE_HOUSE), ingest.output()).toMatchObject({ status: "ready", page_count: 2 })
  expect(await settled("ferry"), ingest.output()).toMatchObject({ status: "ready", chunks: 1 })
  expect(await settled("poison")).toMatchObject({
    status: "failed",
    error: { message: expect.stringMatching(/ended/) },
  })
  for (let tries = 0; (await cloud.deadLetters()) === 0 && tries < 500; tries++) await sleep(200)
  expect(await cloud.deadLetters()).toBe(1)

  const found = (await ask("search", "POST", "/search", { query: "walls of basalt filled with cork" })).json()
  const [hit] = found.results
  expect(hit).toMatchObject({
    id: ICE_HOUSE,
    page: 1,
    citation: expect.stringMatching(/^\[\[reports%2Fice house %231: 50%25\?\/p001#c\d{4}\]\]$/),
  })
  expect(hit.content).toContain("cork")
  const page = await ask("documents", "GET", hit.page_url)
  expect(page).toMatchObject({ status: 200 })
  expect((await ask("crop", "GET", page.json().image_url)).headers["content-type"]).toMatch(/^image/)
  const crop = await ask("crop", "GET", hit.crop_url)
  expect(crop).toMatchObject({ status: 200, headers: { "content-type": "image/png" } })
  expect(crop.bytes.subarray(1, 4).toString()).toBe("PNG")
  expect(crop.headers["cache-control"]).toContain("immutable")

  const output = [...lambdas.values()].map((lambda) => lambda.output()).join("")
  for (const secret of ["basalt", key, "nine in the morning"]) expect(output).not.toContain(secret)
}, 400_000)

test("what a client deletes is gone from search, and its pictures with it", async () => {
  expect((await ask("documents", "DELETE", `/documents/${encodeURIComponent(ICE_HOUSE)}`)).status).toBe(200)
  expect((await ask("search", "POST", "/search", { query: "basalt" })).json().results).toEqual([])
  expect((await ask("crop", "GET", `/crop/${encodeURIComponent(ICE_HOUSE)}/1?bbox=0,0,1,1`)).status).toBe(404)
})

test("a route of a later version streams that it isn't there yet", async () => {
  const event = gatewayEvent({ method: "POST", path: "/answer", body: "{}" })
  const { body, error } = await lambdaOf("answer").invoke(event)
  expect(error).toBeNull()
  expect(body.toString()).toMatch(/"statusCode":404.*"code":"not_found"/s)
})
