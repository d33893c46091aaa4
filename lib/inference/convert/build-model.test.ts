import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { testModelHome } from "../../../tests/model-home.ts"
import { buildModel } from "./build-model.ts"

let models: string
beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), "concordance-models-"))
  await cp(join(await testModelHome(), "models", "all-MiniLM-L6-v2"), join(models, "all-MiniLM-L6-v2"), {
    recursive: true,
  })
})
afterAll(() => rm(models, { recursive: true }))

test("a whole model is left as it is; a damaged one is built again, with under 8 s of processor time", async () => {
  const { folder, built } = await buildModel(models)
  expect({ folder, built }).toEqual({ folder: join(models, "all-MiniLM-L6-v2"), built: false })
  const quantized = join(folder, "onnx", "model_quantized.onnx")
  const whole = await readFile(quantized)
  await truncate(quantized, 1_000)
  const before = process.cpuUsage()
  expect(await buildModel(models)).toMatchObject({ folder, built: true })
  const { user, system } = process.cpuUsage(before)
  // Not by the clock, which other test files share.
  expect((user + system) / 1e6).toBeLessThan(8)
  expect(whole.equals(await readFile(quantized))).toBe(true)
})

test("a model of another converter's version is built again, and no work folder stays", async () => {
  const manifest = join(models, "all-MiniLM-L6-v2", "manifest.json")
  const text = await readFile(manifest, "utf8")
  await writeFile(manifest, text.replace(/"converter": \d+/, '"converter": 0'))
  expect(await buildModel(models)).toMatchObject({ built: true })
  expect(await readFile(manifest, "utf8")).toBe(text)
  expect(await readdir(models)).toEqual(["all-MiniLM-L6-v2"])
})

test("the tokenizer that comes out neither cuts nor pads by itself", async () => {
  const { folder } = await buildModel(models)
  const tokenizer = JSON.parse(await readFile(join(folder, "tokenizer.json"), "utf8"))
  expect(tokenizer).toMatchObject({ truncation: null, padding: null })
  const config = JSON.parse(await readFile(join(folder, "tokenizer_config.json"), "utf8"))
  expect(config.model_max_length).toBe(512)
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
