import { addLinear, joinLayers, type LinearLayer, quantizeRows } from "./linear-layer.ts"
import { createOnnxGraph, DataType, type OnnxGraph, type Value } from "./onnx-graph.ts"
import type { Tensor } from "./safetensors.ts"

/** What `config.json` says of a BERT model, under its own names. */
export interface BertConfig {
  readonly hidden_size: number
  readonly num_attention_heads: number
  readonly num_hidden_layers: number
  readonly layer_norm_eps: number
}

interface BertOptions {
  /** `true`: int8 weights and activations in every linear layer, a quarter of the size and twice as fast. */
  readonly int8: boolean
  /** What comes out: `last_hidden_state [batch, sequence, hidden]`, or `logits [batch, labels]` of a classifier. */
  readonly head: "hidden" | "classifier"
}

/** What the parts of the graph are built from. */
interface Builder extends BertOptions {
  readonly graph: OnnxGraph
  readonly config: BertConfig
  tensor(name: string): Tensor
  layer(prefix: string): LinearLayer
}

/** The first operator set with LayerNormalization. */
const OPSET = 17

/**
 * The bytes of an ONNX BERT encoder (Devlin et al. 2019, post-layer-norm, exact GELU) over the weights of a
 * `BertModel`: `input_ids`, `attention_mask` and `token_type_ids`, each int64 `[batch, sequence]`, go in. The same
 * weights and options give the same bytes.
 *
 * @throws Error when a tensor is missing
 */
export function buildBert(config: BertConfig, weights: ReadonlyMap<string, Tensor>, options: BertOptions): Uint8Array {
  const builder = createBuilder(config, weights, options)
  const { graph } = builder
  const ids = graph.input("input_ids", DataType.INT64, ["batch", "sequence"])
  const mask = graph.input("attention_mask", DataType.INT64, ["batch", "sequence"])
  const types = graph.input("token_type_ids", DataType.INT64, ["batch", "sequence"])
  let x = embeddings(builder, ids, types)
  const bias = maskBias(builder, mask)
  for (let i = 0; i < config.num_hidden_layers; i++) {
    const isOutput = options.head === "hidden" && i === config.num_hidden_layers - 1
    x = encoderLayer(builder, x, bias, `encoder.layer.${i}`, isOutput ? "last_hidden_state" : undefined)
  }
  if (options.head === "hidden") {
    graph.output("last_hidden_state", DataType.FLOAT, ["batch", "sequence", config.hidden_size])
  } else {
    classifier(builder, x)
  }
  return graph.serialize("bert", OPSET)
}

function createBuilder(config: BertConfig, weights: ReadonlyMap<string, Tensor>, options: BertOptions): Builder {
  const tensor = (name: string) => {
    const found = weights.get(name)
    if (!found) throw new Error(`the weights hold no tensor named ${name}`)
    return found
  }
  const layer = (prefix: string) => ({ weight: tensor(`${prefix}.weight`), bias: tensor(`${prefix}.bias`) })
  return { ...options, graph: createOnnxGraph(), config, tensor, layer }
}

function embeddings(builder: Builder, ids: Value, types: Value): Value {
  const { graph } = builder
  const segments = graph.node("Gather", [parameter(builder, "embeddings.token_type_embeddings.weight"), types])
  const length = graph.node("Shape", [ids], { start: 1, end: 2 })
  const table = parameter(builder, "embeddings.position_embeddings.weight")
  const positions = graph.node("Slice", [table, graph.ints(0), length, graph.ints(0)])
  const words = graph.node("Add", [wordEmbeddings(builder, ids), segments])
  return layerNorm(builder, graph.node("Add", [words, positions]), "embeddings.LayerNorm")
}

/** In int8 the table keeps one scale a word: it is half of MiniLM's parameters. */
function wordEmbeddings(builder: Builder, ids: Value): Value {
  const { graph, int8 } = builder
  const name = "embeddings.word_embeddings.weight"
  if (!int8) return graph.node("Gather", [parameter(builder, name), ids])
  const table = builder.tensor(name)
  const { values, scales } = quantizeRows(table)
  const rows = graph.node("Gather", [graph.constant(`${name}.int8`, values, table.shape), ids])
  const rowScales = graph.node("Gather", [graph.constant(`${name}.scale`, scales, [scales.length, 1]), ids])
  return graph.node("Mul", [graph.node("Cast", [rows], { to: DataType.FLOAT }), rowScales])
}

/** `[batch, 1, 1, sequence]`: 0 where a token is attended to, and so low where it is padding that softmax gives 0. */
function maskBias({ graph }: Builder, mask: Value): Value {
  const wide = graph.node("Unsqueeze", [mask, graph.ints(1, 2)])
  const padding = graph.node("Sub", [graph.float(1), graph.node("Cast", [wide], { to: DataType.FLOAT })])
  return graph.node("Mul", [padding, graph.float(-10_000)])
}

function encoderLayer(builder: Builder, x: Value, bias: Value, prefix: string, name?: string): Value {
  const { graph, int8 } = builder
  const attended = attention(builder, x, bias, `${prefix}.attention`)
  const wide = addLinear(graph, attended, builder.layer(`${prefix}.intermediate.dense`), `${prefix}.up`, int8)
  const narrow = addLinear(graph, gelu(graph, wide), builder.layer(`${prefix}.output.dense`), `${prefix}.down`, int8)
  return layerNorm(builder, graph.node("Add", [narrow, attended]), `${prefix}.output.LayerNorm`, name)
}

function attention(builder: Builder, x: Value, bias: Value, prefix: string): Value {
  const { graph, config, int8 } = builder
  const [query, key, value] = projections(builder, x, prefix)
  const scale = graph.float(Math.sqrt(config.hidden_size / config.num_attention_heads))
  const scores = graph.node("Div", [graph.node("MatMul", [query, key]), scale])
  const weights = graph.node("Softmax", [graph.node("Add", [scores, bias])], { axis: -1 })
  const mixed = graph.node("Transpose", [graph.node("MatMul", [weights, value])], { perm: [0, 2, 1, 3] })
  const merged = graph.node("Reshape", [mixed, graph.ints(0, 0, config.hidden_size)])
  const projected = addLinear(graph, merged, builder.layer(`${prefix}.output.dense`), `${prefix}.output`, int8)
  return layerNorm(builder, graph.node("Add", [projected, x]), `${prefix}.output.LayerNorm`)
}

/** Query and value as `[batch, heads, sequence, d]`, key as `[batch, heads, d, sequence]`. */
function projections(builder: Builder, x: Value, prefix: string): [query: Value, key: Value, value: Value] {
  const { graph, config, int8 } = builder
  const names = ["query", "key", "value"]
  const layers = names.map((name) => builder.layer(`${prefix}.self.${name}`))
  // Joined in int8, where the activations are then quantised once. In single precision onnxruntime's own attention
  // fusion looks for three products, and joining them by hand hides them from it.
  const parts = int8
    ? graph.nodes(
        "Split",
        [
          addLinear(graph, x, joinLayers(layers), `${prefix}.qkv`, true),
          graph.ints(config.hidden_size, config.hidden_size, config.hidden_size),
        ],
        3,
        { axis: -1 },
      )
    : layers.map((layer, i) => addLinear(graph, x, layer, `${prefix}.${names[i]}`, false))
  const shape = graph.ints(0, 0, config.num_attention_heads, config.hidden_size / config.num_attention_heads)
  const split = (part: number, perm: readonly number[]) =>
    graph.node("Transpose", [graph.node("Reshape", [parts[part] as Value, shape])], { perm })
  return [split(0, [0, 2, 1, 3]), split(1, [0, 2, 3, 1]), split(2, [0, 2, 1, 3])]
}

/** BERT's pooler (tanh of a linear layer over the first token) and the layer that turns it into `logits`. */
function classifier(builder: Builder, x: Value): void {
  const { graph, int8 } = builder
  const first = graph.node("Gather", [x, graph.constant("first", BigInt64Array.of(0n), [])], { axis: 1 })
  const pooled = graph.node("Tanh", [addLinear(graph, first, builder.layer("pooler.dense"), "pooler", int8)])
  const scores = addLinear(graph, pooled, builder.layer("classifier"), "classifier", int8)
  graph.node("Identity", [scores], {}, "logits")
  graph.output("logits", DataType.FLOAT, ["batch", builder.tensor("classifier.bias").data.length])
}

function parameter({ graph, tensor }: Builder, name: string): Value {
  const { data, shape } = tensor(name)
  return graph.constant(name, data, shape)
}

function layerNorm(builder: Builder, x: Value, prefix: string, name?: string): Value {
  const inputs = [x, parameter(builder, `${prefix}.weight`), parameter(builder, `${prefix}.bias`)]
  const attributes = { axis: -1, epsilon: { float: builder.config.layer_norm_eps } }
  return builder.graph.node("LayerNormalization", inputs, attributes, name)
}

function gelu(graph: OnnxGraph, x: Value): Value {
  const erf = graph.node("Erf", [graph.node("Div", [x, graph.float(Math.SQRT2)])])
  const product = graph.node("Mul", [x, graph.node("Add", [erf, graph.float(1)])])
  return graph.node("Mul", [product, graph.float(0.5)])
}
