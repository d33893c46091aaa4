import onnxProto from "onnx-proto"

const { onnx } = onnxProto
const { AttributeProto, ModelProto, TensorProto } = onnx

/** ONNX element types by name (`FLOAT`, `INT64`, …). */
export const DataType = TensorProto.DataType

/** A name in the graph: of an input, a constant or what a node puts out. */
export type Value = string

/** An attribute of a node. A bare number is an integer; floats say so. */
type Attribute = number | readonly number[] | { readonly float: number }

/** What a constant may hold; its class decides the element type. */
type Numbers = Float32Array | Int8Array | Uint8Array | BigInt64Array

/** A tensor's shape; a name stands for a size known only when the graph runs. */
type Shape = readonly (number | string)[]

/** Collects the nodes and constants of an ONNX model (https://onnx.ai/onnx/repo-docs/IR.html) and serialises it. */
export type OnnxGraph = ReturnType<typeof createOnnxGraph>

export function createOnnxGraph() {
  const nodes: object[] = []
  const constants = new Map<string, object>()
  const inputs: object[] = []
  const outputs: object[] = []

  function constant(name: string, data: Numbers, shape: readonly number[]): Value {
    if (!constants.has(name)) {
      const rawData = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      constants.set(name, { name, dims: shape, dataType: elementType(data), rawData })
    }
    return name
  }

  /** Adds a node whose outputs have these names, or as many made-up ones as asked for. */
  function nodeOf(
    op: string,
    from: readonly Value[],
    outputNames: number | readonly string[],
    attributes: Record<string, Attribute> = {},
  ): Value[] {
    const name = `${op}_${nodes.length}`
    const output =
      typeof outputNames === "number" ? Array.from({ length: outputNames }, (_, i) => `${name}_${i}`) : [...outputNames]
    const attribute = Object.entries(attributes).map(([key, value]) => attributeProto(key, value))
    nodes.push({ name, opType: op, input: from, output, attribute })
    return output
  }

  return {
    input(name: string, type: number, shape: Shape): Value {
      inputs.push(valueInfo(name, type, shape))
      return name
    },
    output(name: string, type: number, shape: Shape): void {
      outputs.push(valueInfo(name, type, shape))
    },
    /** A named constant; a second one of the same name is the first. */
    constant,
    float: (value: number): Value => constant(`float_${value}`, Float32Array.of(value), []),
    ints: (...values: readonly number[]): Value =>
      constant(`ints_${values.join("_")}`, BigInt64Array.from(values, BigInt), [values.length]),
    /** A node of one output; give a name to make it an output of the graph. */
    node: (op: string, from: readonly Value[], attributes: Record<string, Attribute> = {}, name?: string): Value =>
      nodeOf(op, from, name === undefined ? 1 : [name], attributes)[0] as Value,
    /** A node of several outputs. */
    nodes: (op: string, from: readonly Value[], count: number, attributes: Record<string, Attribute> = {}): Value[] =>
      nodeOf(op, from, count, attributes),
    /** The model's bytes, for this version of the operator set. */
    serialize(name: string, opset: number): Uint8Array {
      const initializer = [...constants.values()]
      const graph = { name, node: nodes, initializer, input: inputs, output: outputs }
      const model = { irVersion: 8, producerName: "concordance", opsetImport: [{ domain: "", version: opset }], graph }
      return ModelProto.encode(model).finish()
    },
  }
}

function elementType(data: Numbers): number {
  if (data instanceof Float32Array) return DataType.FLOAT
  if (data instanceof Uint8Array) return DataType.UINT8
  return data instanceof Int8Array ? DataType.INT8 : DataType.INT64
}

function attributeProto(name: string, value: Attribute): object {
  const { AttributeType } = AttributeProto
  if (typeof value === "number") return { name, type: AttributeType.INT, i: value }
  if ("float" in value) return { name, type: AttributeType.FLOAT, f: value.float }
  return { name, type: AttributeType.INTS, ints: [...value] }
}

function valueInfo(name: string, elemType: number, shape: Shape): object {
  const dim = shape.map((size) => (typeof size === "number" ? { dimValue: size } : { dimParam: size }))
  return { name, type: { tensorType: { elemType, shape: { dim } } } }
}
