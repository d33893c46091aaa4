import { execFile, spawn } from "node:child_process"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createLambdaService } from "../../lib/inference/lambda-service.ts"
import { openInference } from "../../lib/inference/open-inference.ts"
import { openRemoteModels, openServiceEmbedder, serviceAt } from "../../lib/inference/open-remote.ts"
import { testModelHome } from "../model-home.ts"
import { type StartedLambda, startLambda } from "./start-lambda.ts"

// What functions/inference/Dockerfile would put under /var/task, made by the same two scripts.

const TEXTS = ["A lighthouse on the cape.", "Bees dance to say where flowers are."]

let task: string
let lambda: StartedLambda
let environment: Record<string, string>
beforeAll(async () => {
  task = await mkdtemp(join(tmpdir(), "concordance-task-"))
  const run = (...args: string[]) => promisify(execFile)(process.execPath, ["--import", "tsx", ...args])
  await run("functions/inference/weights.ts", "mini", join(task, "models"))
  await run("functions/inference/bundle.ts", task, process.arch)
  environment = { INFERENCE_PROFILE: "mini", CONCORDANCE_HOME: task }
  lambda = await startLambda({ bundle: join(task, "handler.handler"), timeoutMs: 60_000, env: environment })
})
afterAll(async () => {
  await lambda.stop()
  await rm(task, { recursive: true })
})

test("a first call finds the embedder loaded while the instance started", async () => {
  const { payload, error } = await lambda.invoke({ path: "/embed", body: { inputs: "warm", prompt_name: "query" } })
  expect(error).toBeNull()
  expect(payload).toMatchObject({ status: 200, body: [expect.any(Array)] })
  const lines = lambda
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
  expect(lines).toContainEqual(expect.objectContaining({ message: "model ready", role: "embedder" }))
  expect(lambda.output()).not.toContain("warm")
})

test("the clients of the other functions get from it what the models give in process", async () => {
  const invoke = await invokeApi(lambda)
  const service = createLambdaService({
    functionName: "models",
    region: "eu-central-1",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    endpoint: invoke.url,
  })
  const home = await testModelHome()
  const there = await openRemoteModels({ inferenceProfile: "mini", home: task }, service)
  const here = await openInference({ inferenceProfile: "mini", home })
  const near = await here.embedder?.embed(TEXTS, "passage")
  const far = await there.embedder?.embed(TEXTS, "passage")
  expect(far?.vectors).toHaveLength(2)
  for (const [i, vector] of (near?.vectors ?? []).entries()) {
    expect(vector.reduce((sum, x, j) => sum + x * (far?.vectors[i]?.[j] ?? 0), 0)).toBeGreaterThan(0.9999)
  }
  const scores = await there.reranker?.score("Where is the light?", TEXTS)
  const expected = await here.reranker?.score("Where is the light?", TEXTS)
  expect(scores?.map((score) => score.toFixed(4))).toEqual(expected?.map((score) => score.toFixed(4)))
  await here.close()
  invoke.close()
})

test("a wrong call is an answer with its status, and the instance lives on", async () => {
  expect((await lambda.invoke({ path: "/embed", body: {} })).payload).toMatchObject({ status: 400 })
  expect((await lambda.invoke({ path: "/health" })).payload).toEqual({ status: 200, body: { status: "ok" } })
})

test("the same folder is an HTTP server by another command, and wants its key", async () => {
  const server = spawn(process.execPath, [join(task, "server.mjs")], {
    env: { ...environment, HOST: "127.0.0.1", PORT: "0", INFERENCE_API_KEY: "sesame" },
    stdio: ["ignore", "ignore", "pipe"],
  })
  const ended = new Promise((resolve) => server.once("exit", resolve))
  const url = await new Promise<string>((resolve, reject) => {
    let text = ""
    server.once("exit", (code) => reject(new Error(`ended with ${code}: ${text}`)))
    server.stderr.on("data", (part: Buffer) => {
      text += part.toString("utf8")
      const found = /"url":"([^"]+)"/.exec(text)?.[1]
      if (found) resolve(found)
    })
  })
  const settings = { inferenceProfile: "mini", home: task } as const
  const embedder = await openServiceEmbedder(settings, serviceAt(url, "sesame"))
  expect((await embedder.embed(TEXTS, "passage")).vectors).toHaveLength(2)
  const stranger = await openServiceEmbedder(settings, serviceAt(url))
  await expect(stranger.embed(TEXTS, "passage")).rejects.toThrow(/API key/)
  server.kill("SIGTERM")
  expect(await ended).toBe(0)
})

test("it carries no weights' package, no sharp and no other platform's onnxruntime", async () => {
  const names = await readdir(task, { recursive: true })
  expect(await readdir(join(task, "node_modules"))).toEqual(["onnxruntime-common", "onnxruntime-node"])
  expect(names.filter((name) => name.endsWith(".node"))).toEqual([
    `node_modules/onnxruntime-node/bin/napi-v6/linux/${process.arch}/onnxruntime_binding.node`,
  ])
})

/** Lambda's Invoke API in front of one function. */
async function invokeApi(target: StartedLambda) {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { body, error } = await target.invoke(JSON.parse(Buffer.concat(parts).toString("utf8")))
    if (error) response.setHeader("x-amz-function-error", "Unhandled")
    response.end(error ? JSON.stringify(error) : body)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close().closeAllConnections(),
  }
}
