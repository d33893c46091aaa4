import type { TokenSequence } from "./tokenizer.ts"

/** What a model of the BERT family reads: `[batch, width]` each, row-major, shorter texts padded. */
export interface PaddedBatch {
  readonly input_ids: BigInt64Array
  readonly attention_mask: BigInt64Array
  readonly token_type_ids: BigInt64Array
  readonly dims: [batch: number, width: number]
}

/** Pads a batch to its longest text. */
export function padBatch(batch: readonly TokenSequence[], paddingId: number): PaddedBatch {
  const width = Math.max(...batch.map((sequence) => sequence.ids.length))
  const ids = new BigInt64Array(batch.length * width).fill(BigInt(paddingId))
  const mask = new BigInt64Array(batch.length * width)
  const types = new BigInt64Array(batch.length * width)
  batch.forEach((sequence, row) => {
    sequence.ids.forEach((id, i) => {
      ids[row * width + i] = BigInt(id)
      mask[row * width + i] = 1n
      types[row * width + i] = BigInt(sequence.types[i] ?? 0)
    })
  })
  return { input_ids: ids, attention_mask: mask, token_type_ids: types, dims: [batch.length, width] }
}
