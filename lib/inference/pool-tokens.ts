/** Which of a text's token vectors make its vector. */
export interface Pooling {
  /** The first token's alone, in place of the mean. */
  readonly poolsFirst: boolean
  /** Length of a token's vector. */
  readonly size: number
}

/**
 * One unit vector a text of a batch: along the mean (so along the sum) of its token vectors, or along the first.
 *
 * @param data `[batch, width, size]`, row-major
 * @param lengths tokens of each text; what is behind them is padding
 */
export function poolTokens(
  data: Float32Array,
  width: number,
  lengths: readonly number[],
  { poolsFirst, size }: Pooling,
): Float32Array[] {
  return lengths.map((length, row) => pooled(data, row * width * size, poolsFirst ? 1 : length, size))
}

function pooled(data: Float32Array, start: number, tokens: number, size: number): Float32Array {
  const sum = new Float64Array(size)
  for (let token = 0; token < tokens; token++) {
    const from = start + token * size
    for (let i = 0; i < size; i++) sum[i] = (sum[i] as number) + (data[from + i] as number)
  }
  let squares = 0
  for (const x of sum) squares += x * x
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0
  return Float32Array.from(sum, (x) => x * scale)
}
