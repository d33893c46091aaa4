import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type BertConfig, buildBert } from "../lib/inference/convert/bert-graph.ts"
import type { Tensor } from "../lib/inference/convert/safetensors.ts"
import { randomFrom } from "../lib/random.ts"

/** What BGE-M3 and BGE-Reranker-v2-M3 are: XLM-RoBERTa large. */
const CONFIG: BertConfig & Record<string, unknown> = {
  model_type: "xlm-roberta",
  hidden_size: 1_024,
  num_attention_heads: 16,
  num_hidden_layers: 24,
  layer_norm_eps: 1e-5,
  max_position_embeddings: 8_194,
  pad_token_id: 1,
  vocab_size: 250_002,
  id2label: { 0: "LABEL_0" },
}
const VOCABULARY = 250_002

/** Sizes of a BERT's tensors. */
interface BertShape {
  readonly hidden: number
  readonly wide: number
  readonly vocabulary: number
  readonly positions: number
  readonly segments: number
}

const SHAPE: BertShape = {
  ...{ hidden: CONFIG.hidden_size, wide: 4_096, vocabulary: VOCABULARY },
  ...{ positions: 8_194, segments: 1 },
}

/** Words that the tokenizer knows as one token each. */
export const WORDS = Array.from({ length: 1_000 }, (_, i) => wordOf(i))

/**
 * Writes a model of that shape in Hugging Face form, int8, with random weights and words: it means nothing, but takes the
 * disk, memory and time of one that does. 0.6 GB, about a minute.
 */
export async function writeM3Shape(folder: string, head: "hidden" | "classifier"): Promise<void> {
  await mkdir(join(folder, "onnx"), { recursive: true })
  await writeFile(
    join(folder, "onnx/model_quantized.onnx"),
    buildBert(CONFIG, new RandomWeights(SHAPE), { int8: true, head }),
  )
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer(), null, 2))
  const tokenizerConfig = { tokenizer_class: "XLMRobertaTokenizer", model_max_length: 8_192, unk_token: "<unk>" }
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(tokenizerConfig))
  // Last: a folder with it is whole.
  await writeFile(join(folder, "config.json"), JSON.stringify(CONFIG))
}

/** Makes each tensor when it is asked for: all of them in single precision would take 2.3 GB. */
export class RandomWeights extends Map<string, Tensor> {
  private readonly of: BertShape

  constructor(of: BertShape) {
    super()
    this.of = of
  }

  override get(name: string): Tensor {
    const shape = shapeOf(name, this.of)
    const data = new Float32Array(shape.reduce((product, n) => product * n, 1))
    if (name.endsWith("LayerNorm.weight")) return { shape, data: data.fill(1) }
    const random = randomFrom(name.length)
    const block = Float32Array.from({ length: Math.min(data.length, 1 << 20) }, () => (random() - 0.5) * 0.1)
    for (let at = 0; at < data.length; at += block.length) data.set(block.subarray(0, data.length - at), at)
    return { shape, data }
  }
}

function shapeOf(name: string, { hidden, wide, vocabulary, positions, segments }: BertShape): number[] {
  if (name === "embeddings.word_embeddings.weight") return [vocabulary, hidden]
  if (name === "embeddings.position_embeddings.weight") return [positions, hidden]
  if (name === "embeddings.token_type_embeddings.weight") return [segments, hidden]
  if (name.startsWith("classifier")) return name.endsWith("bias") ? [1] : [1, hidden]
  const [outputs, inputs] = name.includes("intermediate")
    ? [wide, hidden]
    : /\d\.output\.dense/.test(name)
      ? [hidden, wide]
      : [hidden, hidden]
  return name.endsWith("bias") || name.includes("LayerNorm") ? [outputs] : [outputs, inputs]
}

/** A unigram tokenizer of as many pieces, so that reading it takes as long. */
function tokenizer(): object {
  const special = ["<s>", "<pad>", "</s>", "<unk>"]
  const letters = [..."▁abcdefghijklmnopqrstuvwxyz"].map((letter) => [letter, -20])
  const words = Array.from({ length: VOCABULARY - special.length - letters.length - 1 }, (_, i) => [
    `▁${wordOf(i)}`,
    -10,
  ])
  const vocab = [...special.map((token) => [token, 0]), ...letters, ...words, ["<mask>", 0]]
  const token = (id: string) => ({ SpecialToken: { id, type_id: 0 } })
  const sequence = (id: string) => ({ Sequence: { id, type_id: 0 } })
  const space = { type: "Metaspace", replacement: "▁", add_prefix_space: true, prepend_scheme: "always" }
  const single = [token("<s>"), sequence("A"), token("</s>")]
  return {
    version: "1.0",
    added_tokens: special.map((content, id) => ({ id, content, special: true, normalized: false })),
    normalizer: { type: "NFKC" },
    pre_tokenizer: space,
    decoder: space,
    post_processor: {
      type: "TemplateProcessing",
      single,
      pair: [...single, token("</s>"), sequence("B"), token("</s>")],
      special_tokens: Object.fromEntries(special.map((id, n) => [id, { id, ids: [n], tokens: [id] }])),
    },
    model: { type: "Unigram", unk_id: 3, vocab },
  }
}

/** Another word for each number: its digits in base 26, as letters, five at least. */
function wordOf(n: number): string {
  const letters: string[] = []
  for (let rest = n; letters.length < 5 || rest > 0; rest = Math.floor(rest / 26)) {
    letters.push(String.fromCharCode(97 + (rest % 26)))
  }
  return letters.join("")
}
