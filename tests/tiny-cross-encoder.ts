import { copyFile, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type BertConfig, buildBert } from "../lib/inference/convert/bert-graph.ts"
import type { Tensor } from "../lib/inference/convert/safetensors.ts"
import { randomFrom } from "../lib/random.ts"

const HIDDEN = 32
const WIDE = 64
const POSITIONS = 64

const CONFIG: BertConfig & Record<string, unknown> = {
  model_type: "bert",
  architectures: ["BertForSequenceClassification"],
  hidden_size: HIDDEN,
  num_attention_heads: 4,
  num_hidden_layers: 2,
  layer_norm_eps: 1e-12,
  max_position_embeddings: POSITIONS,
  vocab_size: 30_522,
}

/**
 * Writes a cross-encoder in Hugging Face form into `folder`: BERT with pooler and classifier, two layers of 32, weights
 * from a fixed seed, and MiniLM's tokenizer from `minilmFolder`. Its scores mean nothing, but depend on every token.
 */
export async function buildTinyCrossEncoder(folder: string, minilmFolder: string, labels = 1): Promise<void> {
  await mkdir(join(folder, "onnx"), { recursive: true })
  for (const name of ["tokenizer.json", "tokenizer_config.json"]) {
    await copyFile(join(minilmFolder, name), join(folder, name))
  }
  const id2label = Object.fromEntries(Array.from({ length: labels }, (_, i) => [i, `LABEL_${i}`]))
  await writeFile(join(folder, "config.json"), JSON.stringify({ ...CONFIG, id2label }))
  const model = buildBert(CONFIG, randomWeights(labels), { int8: false, head: "classifier" })
  await writeFile(join(folder, "onnx", "model.onnx"), model)
}

function randomWeights(labels: number): Map<string, Tensor> {
  const random = randomFrom(7)
  const weights = new Map<string, Tensor>()
  const add = (name: string, ...shape: readonly number[]) => {
    const size = shape.reduce((product, n) => product * n, 1)
    weights.set(name, { shape, data: Float32Array.from({ length: size }, () => (random() - 0.5) * 0.5) })
  }
  const addLayer = (name: string, from: number, to: number) => {
    add(`${name}.weight`, to, from)
    add(`${name}.bias`, to)
  }
  const addNorm = (name: string) => {
    weights.set(`${name}.weight`, { shape: [HIDDEN], data: new Float32Array(HIDDEN).fill(1) })
    add(`${name}.bias`, HIDDEN)
  }
  add("embeddings.word_embeddings.weight", 30_522, HIDDEN)
  add("embeddings.position_embeddings.weight", POSITIONS, HIDDEN)
  add("embeddings.token_type_embeddings.weight", 2, HIDDEN)
  addNorm("embeddings.LayerNorm")
  for (let i = 0; i < CONFIG.num_hidden_layers; i++) {
    const layer = `encoder.layer.${i}`
    for (const part of ["query", "key", "value"]) addLayer(`${layer}.attention.self.${part}`, HIDDEN, HIDDEN)
    addLayer(`${layer}.attention.output.dense`, HIDDEN, HIDDEN)
    addNorm(`${layer}.attention.output.LayerNorm`)
    addLayer(`${layer}.intermediate.dense`, HIDDEN, WIDE)
    addLayer(`${layer}.output.dense`, WIDE, HIDDEN)
    addNorm(`${layer}.output.LayerNorm`)
  }
  addLayer("pooler.dense", HIDDEN, HIDDEN)
  addLayer("classifier", HIDDEN, labels)
  return weights
}
