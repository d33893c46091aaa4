import { DataType, type OnnxGraph, type Value } from "./onnx-graph.ts"
import type { Tensor } from "./safetensors.ts"

/** `x · weightᵀ + bias`; the weight is `[out, in]`, as PyTorch stores it. */
export interface LinearLayer {
  readonly weight: Tensor
  readonly bias: Tensor
}

/** Adds a linear layer to the graph: in single precision, or with int8 weights and activations. */
export function addLinear(graph: OnnxGraph, x: Value, layer: LinearLayer, name: string, int8: boolean): Value {
  const bias = graph.constant(`${name}.bias`, layer.bias.data, layer.bias.shape)
  return graph.node("Add", [
    int8 ? int8Product(graph, x, layer.weight, name) : product(graph, x, layer.weight, name),
    bias,
  ])
}

/** One layer whose output is the outputs of these side by side: one large product is faster than three small ones. */
export function joinLayers(layers: readonly LinearLayer[]): LinearLayer {
  return { weight: joinRows(layers.map((l) => l.weight)), bias: joinRows(layers.map((l) => l.bias)) }
}

function product(graph: OnnxGraph, x: Value, weight: Tensor, name: string): Value {
  const [rows, columns] = matrixShape(weight)
  const transposed = new Float32Array(weight.data.length)
  transpose(weight.data, transposed, rows, columns)
  return graph.node("MatMul", [x, graph.constant(`${name}.weight`, transposed, [columns, rows])])
}

/**
 * Dynamic quantisation: weights as int8 with a scale per output channel, activations with a scale per token found at run
 * time (as ZeroQuant does, Yao et al. 2022). The operator set's own DynamicQuantizeLinear has one scale for a whole batch:
 * one token with an outlier makes all others coarse, and a text's vector depends on its batch mates.
 */
function int8Product(graph: OnnxGraph, x: Value, weight: Tensor, name: string): Value {
  const [rows, columns] = matrixShape(weight)
  const { values, scales } = quantizeRows(weight)
  const transposed = new Int8Array(values.length)
  transpose(values, transposed, rows, columns)
  const peak = graph.node("ReduceMax", [graph.node("Abs", [x])], { axes: [-1], keepdims: 1 })
  const scale = graph.node("Mul", [graph.node("Max", [peak, graph.float(1e-9)]), graph.float(1 / 127)])
  const middle = graph.constant("middle", Uint8Array.of(128), [])
  const quantized = graph.node("QuantizeLinear", [graph.node("Div", [x, scale]), graph.float(1), middle])
  const weights = graph.constant(`${name}.weight.int8`, transposed, [columns, rows])
  const sums = graph.node("Cast", [graph.node("MatMulInteger", [quantized, weights, middle])], { to: DataType.FLOAT })
  const byChannel = graph.node("Mul", [sums, graph.constant(`${name}.weight.scale`, scales, [rows])])
  return graph.node("Mul", [byChannel, scale])
}

/** Symmetric int8 with one scale a row: `value ≈ int8 · scale`, off by at most half a scale. */
export function quantizeRows(matrix: Tensor): { values: Int8Array; scales: Float32Array } {
  const [rows, columns] = matrixShape(matrix)
  const values = new Int8Array(matrix.data.length)
  const scales = new Float32Array(rows)
  for (let row = 0; row < rows; row++) {
    const from = row * columns
    let peak = 0
    for (let i = from; i < from + columns; i++) peak = Math.max(peak, Math.abs(matrix.data[i] as number))
    const scale = peak === 0 ? 1 : peak / 127
    scales[row] = scale
    for (let i = from; i < from + columns; i++) values[i] = Math.round((matrix.data[i] as number) / scale)
  }
  return { values, scales }
}

function transpose<T extends Float32Array | Int8Array>(from: T, to: T, rows: number, columns: number): void {
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) to[c * rows + r] = from[r * columns + c] as number
}

function joinRows(tensors: readonly Tensor[]): Tensor {
  const data = new Float32Array(tensors.reduce((length, t) => length + t.data.length, 0))
  let offset = 0
  for (const tensor of tensors) {
    data.set(tensor.data, offset)
    offset += tensor.data.length
  }
  const rows = tensors.reduce((sum, t) => sum + (t.shape[0] ?? 0), 0)
  return { shape: [rows, ...(tensors[0]?.shape.slice(1) ?? [])], data }
}

function matrixShape({ shape }: Tensor): [rows: number, columns: number] {
  const [rows, columns] = shape
  if (rows === undefined || columns === undefined)
    throw new Error(`a matrix was expected, not the shape [${shape.join(", ")}]`)
  return [rows, columns]
}
