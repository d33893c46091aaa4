/**
 * Padded tokens in a batch. Measured on 128 texts of mixed length with MiniLM in int8 and two threads: batches of 16 as
 * they come 50 texts a second, sorted 109, one at a time 135, sorted with at most 512 padded tokens 151. Larger batches
 * no longer fit the processor's cache.
 */
const BATCH_TOKENS_MAX = 512

/**
 * Splits inputs into batches of similar length, so that little of a batch is padding: the indices of each batch's
 * inputs, shortest first. A batch holds at most `tokensMax` tokens with its padding, or one longer input.
 */
export function batchesByLength(lengths: readonly number[], tokensMax: number = BATCH_TOKENS_MAX): number[][] {
  const shortestFirst = lengths.map((length, index) => ({ length, index })).sort((a, b) => a.length - b.length)
  const batches: number[][] = []
  let batch: number[] = []
  for (const { length, index } of shortestFirst) {
    if (batch.length > 0 && (batch.length + 1) * length > tokensMax) {
      batches.push(batch)
      batch = []
    }
    batch.push(index)
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}
