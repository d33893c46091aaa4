import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { testModelHome } from "../../tests/model-home.ts"
import type { Embedder } from "./inference.ts"
import { createOnnxEmbedder, poolingOf } from "./onnx-embedder.ts"
import { type OnnxModel, openOnnxModel } from "./onnx-model.ts"
import { createPassageThread, type PassageThread } from "./passage-thread.ts"
import { createWorkQueue } from "./work-queue.ts"

let scratch: string
let model: OnnxModel
let thread: PassageThread
let here: Embedder
let apart: Embedder

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "concordance-thread-"))
  const cacheFolder = join(await testModelHome(), "models")
  const name = "sentence-transformers/all-MiniLM-L6-v2"
  const source = { name, location: join(cacheFolder, "all-MiniLM-L6-v2"), cacheFolder }
  model = await openOnnxModel(source, { task: "encode", threads: 2 })
  thread = open()
  here = createOnnxEmbedder({ model, queue: createWorkQueue() })
  apart = createOnnxEmbedder({ model, queue: createWorkQueue(), apart: { thread, queue: createWorkQueue() } })
})
afterAll(async () => {
  await Promise.all([thread.close(), model.close(), rm(scratch, { recursive: true })])
})

function open(entry?: URL): PassageThread {
  if (!model.copy) throw new Error("The test's model is light, and has a copy")
  return createPassageThread({ ...model.copy, name: "mini", pooling: poolingOf(model), ...(entry && { entry }) })
}

const TEXTS = Array.from(
  { length: 24 },
  (_, i) => `The lamp of tower ${i} was seen ${"far out at sea ".repeat(1 + i * 3)}`,
)

test("passages get the same vectors, to the last bit, as on the main thread", async () => {
  const [there, main] = [await apart.embed(TEXTS, "passage"), await here.embed(TEXTS, "passage")]
  expect(there.vectors).toEqual(main.vectors)
  expect(there.tokens).toBe(main.tokens)
})

test("a question is answered while passages are embedded, and the event loop goes on meanwhile", async () => {
  await apart.embed(["warm"], "query")
  const order: string[] = []
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const passages = apart.embed([...TEXTS, ...TEXTS], "passage").then(() => order.push("passages"))
  await apart.embed(["which tower?"], "query").then(() => order.push("question"))
  await passages
  clearInterval(timer)
  expect(order).toEqual(["question", "passages"])
  expect(turns).toBeGreaterThan(10)
})

test("an abort ends it between two batches, and what comes next has its vectors", async () => {
  const abort = new AbortController()
  const aborted = apart.embed([...TEXTS, ...TEXTS], "passage", { signal: abort.signal })
  abort.abort(new Error("gone"))
  await expect(aborted).rejects.toThrow("gone")
  expect((await apart.embed(["the next"], "passage")).vectors[0]).toEqual(
    (await here.embed(["the next"], "passage")).vectors[0],
  )
})

test("a thread that dies fails its batch alone: the next starts another", async () => {
  const mortal = join(scratch, "mortal.mjs")
  const marker = pathToFileURL(join(scratch, "died")).href
  await writeFile(
    mortal,
    `import { existsSync, writeFileSync } from "node:fs"
     const died = new URL(${JSON.stringify(marker)})
     const { parentPort } = await import("node:worker_threads")
     parentPort.on("message", () => {
       if (existsSync(died)) return parentPort.postMessage({ vectors: [new Float32Array([1])] })
       writeFileSync(died, "")
       process.exit(1)
     })`,
  )
  const dying = open(pathToFileURL(mortal))
  const batch = [model.tokenizer.single("sea")]
  await expect(dying.embed(batch)).rejects.toMatchObject({ code: "inference_unavailable" })
  expect(await dying.embed(batch)).toEqual([new Float32Array([1])])
  await dying.close()
})

test("a model that can't be read is an error that names it, and nothing of the texts", async () => {
  const broken = createPassageThread({
    ...{ name: "mini", file: join(scratch, "none.onnx"), options: {}, paddingId: 0 },
    pooling: poolingOf(model),
  })
  await expect(broken.embed([model.tokenizer.single("smuggler")])).rejects.toMatchObject({
    code: "inference_unavailable",
    message: "The model mini failed on a batch.",
  })
  await broken.close()
})
