import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { buildModel } from "./build-model.ts"

let models: string
beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), "concordance-models-"))
})
afterAll(() => rm(models, { recursive: true }))

test("the model is built once with under 8 s of processor time, and again only when a file is damaged or the converter changed", async () => {
  const before = process.cpuUsage()
  const first = await buildModel(models)
  const { user, system } = process.cpuUsage(before)
  // Not by the clock, which other test files share.
  expect((user + system) / 1e6).toBeLessThan(8)
  expect(first).toMatchObject({ folder: join(models, "all-MiniLM-L6-v2"), built: true })
  expect(await buildModel(models)).toMatchObject({ built: false })

  const quantized = join(first.folder, "onnx", "model_quantized.onnx")
  const whole = await stat(quantized)
  await truncate(quantized, 1_000)
  expect(await buildModel(models)).toMatchObject({ built: true })
  expect((await stat(quantized)).size).toBe(whole.size)

  const manifest = join(first.folder, "manifest.json")
  const { converter } = JSON.parse(await readFile(manifest, "utf8"))
  await writeFile(manifest, (await readFile(manifest, "utf8")).replace(`"converter": ${converter}`, '"converter": 0'))
  expect(await buildModel(models)).toMatchObject({ built: true })
  expect(await readdir(models)).toEqual(["all-MiniLM-L6-v2"])
})

test("the tokenizer that comes out neither cuts nor pads by itself", async () => {
  const { folder } = await buildModel(models)
  const tokenizer = JSON.parse(await readFile(join(folder, "tokenizer.json"), "utf8"))
  expect(tokenizer).toMatchObject({ truncation: null, padding: null })
  const config = JSON.parse(await readFile(join(folder, "tokenizer_config.json"), "utf8"))
  expect(config.model_max_length).toBe(256)
})

test("a folder that can't be written is an error that says what to do", async () => {
  const file = join(models, "file")
  await writeFile(file, "")
  await expect(buildModel(file)).rejects.toMatchObject({
    code: "inference_unavailable",
    message: expect.stringContaining("concordance models build"),
  })
  await rm(file)
})
