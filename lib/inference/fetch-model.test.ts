import { createHash } from "node:crypto"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { fetchModel } from "./fetch-model.ts"
import { M3, M3_RERANKER, modelSource } from "./model-source.ts"
import { PINNED_MODELS, type PinnedModel } from "./pinned-models.ts"

const CONTENT: Record<string, string> = { "config.json": '{"hidden_size":4}', "onnx/model_quantized.onnx": "weights" }
const MODEL: PinnedModel = {
  repository: "someone/model",
  revision: "a".repeat(40),
  files: Object.entries(CONTENT).map(([path, text]) => ({
    path,
    bytes: Buffer.byteLength(text),
    sha256: createHash("sha256").update(text).digest("hex"),
  })),
}

let models: string
const closing: (() => void)[] = []
beforeEach(async () => {
  models = await mkdtemp(join(tmpdir(), "concordance-fetch-"))
})
afterEach(async () => {
  for (const close of closing.splice(0)) close()
  await rm(models, { recursive: true })
})

/** A hub that sends what `answer` says for a path, or a status. */
async function hub(answer: (path: string, count: number) => string | number) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? "")
    const found = answer((request.url ?? "").replace(`/someone/model/resolve/${MODEL.revision}/`, ""), paths.length)
    if (typeof found === "number") response.writeHead(found).end()
    else response.end(found)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => server.close().closeAllConnections())
  return { paths, options: { hubUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, backoffMs: 1 } }
}

test("files come from the pinned revision, once", async () => {
  const { paths, options } = await hub((path) => CONTENT[path] ?? 404)
  const folder = await fetchModel(MODEL, models, options)
  expect(await readFile(join(folder, "onnx/model_quantized.onnx"), "utf8")).toBe("weights")
  expect(await fetchModel(MODEL, models, options)).toBe(folder)
  expect(paths).toEqual(MODEL.files.map(({ path }) => `/someone/model/resolve/${MODEL.revision}/${path}`))
})

test.each([
  ["of another content", "WEIGHTS", /SHA-256/],
  ["that goes on and on", "weights and more", /longer/],
])("a file %s is refused at once, and nothing of the model is kept", async (_, sent, message) => {
  const { paths, options } = await hub((path) => (path.startsWith("onnx") ? sent : (CONTENT[path] ?? 404)))
  await expect(fetchModel(MODEL, models, options)).rejects.toMatchObject({
    code: "inference_unavailable",
    message: expect.stringMatching(message),
  })
  expect(paths).toHaveLength(2)
  expect(await readdir(join(models, "someone"))).toEqual([])
})

test("a hub that fails or hangs up half-way is asked again, three times in all", async () => {
  const { options } = await hub((path, count) => (count === 1 ? 503 : count === 3 ? "wei" : (CONTENT[path] ?? 404)))
  await fetchModel(MODEL, models, options)
  const down = await hub(() => 500)
  await expect(fetchModel({ ...MODEL, revision: "b".repeat(40) }, join(models, "x"), down.options)).rejects.toThrow(
    /network/,
  )
  expect(down.paths).toHaveLength(3)
})

test("a folder without the manifest is not trusted: what has the right sum is kept, the rest is fetched", async () => {
  const folder = join(models, MODEL.repository)
  await mkdir(join(folder, "onnx"), { recursive: true })
  await writeFile(join(folder, "config.json"), CONTENT["config.json"] ?? "")
  await writeFile(join(folder, "onnx/model_quantized.onnx"), "WEIGHTS")
  const { paths, options } = await hub((path) => CONTENT[path] ?? 404)
  await fetchModel(MODEL, models, options)
  expect(paths.map((path) => path.split("/").at(-1))).toEqual(["model_quantized.onnx"])
  expect(await readFile(join(folder, "onnx/model_quantized.onnx"), "utf8")).toBe("weights")
})

test("what the profile m3 runs is pinned: a commit, and a SHA-256 and a size for each file it needs", () => {
  const locations = [M3, M3_RERANKER].map((name) => modelSource(name, models, "EMBEDDING_MODEL").location)
  expect(PINNED_MODELS.map(({ repository }) => repository)).toEqual(locations)
  for (const { revision, files } of PINNED_MODELS) {
    expect(revision).toMatch(/^[0-9a-f]{40}$/)
    expect(files.map(({ path }) => path)).toEqual([
      "config.json",
      "tokenizer.json",
      "tokenizer_config.json",
      "onnx/model_quantized.onnx",
    ])
    for (const { sha256, bytes } of files) {
      expect(sha256).toMatch(/^[0-9a-f]{64}$/)
      expect(bytes).toBeGreaterThan(0)
    }
  }
})
