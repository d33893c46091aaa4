/** Limits of one request to a model behind HTTP. */
interface RemoteBatchLimits {
  readonly textsMax: number
  /** Characters of all texts together; a single longer text still goes, alone. */
  readonly charactersMax: number
}

/** Splits texts into requests, in order: a service puts its own batches together, so sorting gains nothing here. */
export function remoteBatches(texts: readonly string[], limits: RemoteBatchLimits): string[][] {
  const batches: string[][] = []
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length > 0 && (batch.length >= limits.textsMax || characters + text.length > limits.charactersMax)) {
      batches.push(batch)
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}
