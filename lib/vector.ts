/** A vector as pgvector reads it: `[0.1,0.2]`. Seven significant digits: a halfvec keeps three. */
export function vectorToSql(vector: ArrayLike<number>): string {
  let text = "["
  for (let i = 0; i < vector.length; i++) {
    if (i > 0) text += ","
    text += Number(vector[i]).toPrecision(7)
  }
  return `${text}]`
}

/** Dot product of two vectors of the same length: their cosine, when both are of unit length. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

/** The vector at length 1; all zeros stay as they are. */
export function normalized(vector: ArrayLike<number>): Float32Array {
  const unit = Float32Array.from(vector)
  const length = Math.sqrt(dot(unit, unit))
  if (length > 0) for (let i = 0; i < unit.length; i++) unit[i] = (unit[i] as number) / length
  return unit
}

/** Widens one IEEE 754 half, given as its 16 bits. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** Reads what `halfvec_send` writes (two int16 of header, then big-endian halves), given as base64. */
export function vectorFromBase64(base64: string): Float32Array {
  const bytes = Buffer.from(base64, "base64")
  const vector = new Float32Array(bytes.readUInt16BE(0))
  for (let i = 0; i < vector.length; i++) vector[i] = halfToNumber(bytes.readUInt16BE(4 + 2 * i))
  return vector
}
