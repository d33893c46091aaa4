import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env } from "@xenova/transformers"
import { afterAll, beforeAll, expect, test } from "vitest"
import { testModelHome } from "../../tests/model-home.ts"
import { buildTinyCrossEncoder } from "../../tests/tiny-cross-encoder.ts"
import { openOnnxModel } from "./onnx-model.ts"

/** Stands for huggingface.co: serves `tiny/reranker`, which has no quantised file. */
let hub: Server
let scratch: string
let asked: string[] = []
const realHost = env.remoteHost

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "concordance-hub-"))
  await buildTinyCrossEncoder(join(scratch, "tiny"), join(await testModelHome(), "models", "all-MiniLM-L6-v2"))
  hub = createServer((request, response) => {
    const name = request.url?.match(/^\/tiny\/reranker\/resolve\/main\/([\w./]+)$/)?.[1] ?? "none"
    asked.push(name)
    readFile(join(scratch, "tiny", name)).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => hub.listen(0, "127.0.0.1", resolve))
  env.remoteHost = `http://127.0.0.1:${(hub.address() as AddressInfo).port}/`
})
afterAll(async () => {
  env.remoteHost = realHost
  hub.closeAllConnections()
  await new Promise((resolve) => hub.close(resolve))
  await rm(scratch, { recursive: true })
})

async function logitOf(cacheFolder: string): Promise<number> {
  const source = { name: "tiny/reranker", location: "tiny/reranker", cacheFolder }
  const model = await openOnnxModel(source, { task: "classify" })
  const { data } = await model.run([model.tokenizer.pair("sea")("boats")])
  await model.close()
  return data[0] as number
}

test("a model on the hub is downloaded once, in single precision if need be, and then needs no network", async () => {
  const cache = join(scratch, "cache")
  const first = await logitOf(cache)
  expect(asked).toContain("onnx/model_quantized.onnx")
  expect(asked).toContain("onnx/model.onnx")
  await readFile(join(cache, "tiny", "reranker", "onnx", "model.onnx"))
  asked = []
  expect(await logitOf(cache)).toBe(first)
  expect(asked).toEqual([])
})

test("a name that the hub does not know is an error that says where it was looked for, and may be tried again", async () => {
  const source = { name: "tiny/unknown", location: "tiny/unknown", cacheFolder: join(scratch, "cache") }
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(openOnnxModel(source, { task: "encode" })).rejects.toMatchObject({
      code: "inference_unavailable",
      message: expect.stringMatching(/tiny\/unknown.*huggingface\.co/s),
    })
  }
})

test("loading that lasts longer than the caller waits goes on for the next one", async () => {
  const source = { name: "tiny", location: join(scratch, "tiny"), cacheFolder: scratch }
  const model = await openOnnxModel(source, { task: "classify" })
  const abort = new AbortController()
  const impatient = model.load(abort.signal)
  abort.abort(new Error("deadline"))
  await expect(impatient).rejects.toThrow("deadline")
  await model.load()
  expect((await model.run([model.tokenizer.pair("sea")("boats")])).shape).toEqual([1, 1])
  await model.close()
})
