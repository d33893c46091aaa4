import { mean } from "../lib/relevance-metrics.ts"

/** Newton's steps; it converges in about eight. */
const STEPS = 40

/**
 * Logistic regression with an L2 penalty on the weights of standardised columns, the intercept left free, by Newton's method.
 * Returns the intercept and then a weight a column, in the columns' own units.
 */
export function fitLogistic(
  rows: readonly (readonly number[])[],
  right: readonly boolean[],
  penalty: number,
): number[] {
  const columns = rows[0]?.length ?? 0
  const centres = Array.from({ length: columns }, (_, c) => mean(rows.map((row) => row[c] ?? 0)))
  const spreads = centres.map((centre, c) => Math.sqrt(mean(rows.map((row) => ((row[c] ?? 0) - centre) ** 2))) + 1e-9)
  const standard = rows.map((row) => [1, ...row.map((x, c) => (x - (centres[c] ?? 0)) / (spreads[c] ?? 1))])
  let weights = new Array<number>(columns + 1).fill(0)
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight, c) => (c === 0 ? 0 : penalty * weight))
    const hessian = weights.map((_, a) => weights.map((_, b) => (a === b ? (a === 0 ? 1e-6 : penalty) : 0)))
    standard.forEach((row, i) => {
      const p = 1 / (1 + Math.exp(-row.reduce((sum, x, c) => sum + x * (weights[c] ?? 0), 0)))
      row.forEach((x, a) => {
        gradient[a] = (gradient[a] ?? 0) + x * (p - (right[i] ? 1 : 0))
        const line = hessian[a] ?? []
        row.forEach((y, b) => {
          line[b] = (line[b] ?? 0) + x * y * p * (1 - p)
        })
      })
    })
    const change = solve(hessian, gradient)
    weights = weights.map((weight, c) => weight - (change[c] ?? 0))
  }
  const [intercept = 0, ...slopes] = weights
  const own = slopes.map((slope, c) => slope / (spreads[c] ?? 1))
  return [intercept - own.reduce((sum, slope, c) => sum + slope * (centres[c] ?? 0), 0), ...own]
}

/** Gauss-Jordan elimination of a positive definite system. */
function solve(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, values[i] ?? 0])
  rows.forEach((pivot, p) => {
    const scale = pivot[p] ?? 1
    pivot.forEach((x, c) => {
      pivot[c] = x / scale
    })
    rows.forEach((row, r) => {
      const factor = row[p] ?? 0
      if (r !== p)
        pivot.forEach((x, c) => {
          row[c] = (row[c] ?? 0) - factor * x
        })
    })
  })
  return rows.map((row) => row.at(-1) ?? 0)
}
