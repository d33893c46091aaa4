import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readSafetensors } from "./safetensors.ts"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "concordance-safetensors-"))
})
afterAll(() => rm(folder, { recursive: true }))

async function fileOf(header: object, body: Uint8Array): Promise<string> {
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  const path = join(folder, `${Math.random()}.safetensors`)
  await writeFile(path, Buffer.concat([length, json, body]))
  return path
}

test("half precision is widened exactly: signs, subnormals, the largest, infinity and NaN", async () => {
  const halves = Uint16Array.of(0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x03ff, 0x3555, 0x7c00, 0xfc00, 0x7e00)
  const header = { t: { dtype: "F16", shape: [11], data_offsets: [0, 22] } }
  const tensors = await readSafetensors(await fileOf(header, new Uint8Array(halves.buffer)))
  expect([...(tensors.get("t")?.data ?? [])]).toEqual([
    0,
    -0,
    1,
    -2,
    65_504,
    2 ** -24,
    1023 * 2 ** -24,
    0.333251953125,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NaN,
  ])
})

test("single precision is read at any offset, and integer buffers and metadata are left out", async () => {
  const body = new Uint8Array(3 + 8)
  body.set(new Uint8Array(Float32Array.of(1.5, -0.25).buffer), 3)
  const header = {
    __metadata__: { format: "pt" },
    ids: { dtype: "I8", shape: [3], data_offsets: [0, 3] },
    w: { dtype: "F32", shape: [1, 2], data_offsets: [3, 11] },
  }
  const tensors = await readSafetensors(await fileOf(header, body))
  expect([...tensors]).toEqual([["w", { shape: [1, 2], data: Float32Array.of(1.5, -0.25) }]])
})

test("a file that was cut short is refused, and so is a float type that would be read wrongly", async () => {
  const header = { w: { dtype: "F32", shape: [4], data_offsets: [0, 16] } }
  await expect(readSafetensors(await fileOf(header, new Uint8Array(12)))).rejects.toThrow(/cut short/)
  const bfloat = { w: { dtype: "BF16", shape: [2], data_offsets: [0, 4] } }
  await expect(readSafetensors(await fileOf(bfloat, new Uint8Array(4)))).rejects.toThrow(/BF16/)
})
