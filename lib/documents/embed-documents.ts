import type { Embedder } from "../inference/inference.ts"
import type { PreparedChunk, PreparedDocument } from "./prepare-document.ts"

/** A chunk's vector and the space it belongs to. */
export interface ChunkVector {
  readonly model: string
  readonly vector: ArrayLike<number>
}

export interface EmbeddedDocument {
  readonly document: PreparedDocument
  readonly vectors: ReadonlyMap<PreparedChunk, ChunkVector>
  readonly warnings: readonly string[]
}

/** What `work` gives, or the signal's reason as soon as it aborts: a model that is still loading doesn't heed it. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}

/** Name of the space of vectors that callers bring without naming their model. */
function callerSpace(dimensions: number): string {
  return `caller:${dimensions}`
}

/**
 * Gives every chunk its vector: the caller's, or the model's, which reads the texts of all documents at once. Throws what
 * the model throws, and the signal's reason.
 */
export async function embedDocuments(
  documents: readonly PreparedDocument[],
  embedder: Embedder | null,
  signal: AbortSignal,
): Promise<EmbeddedDocument[]> {
  const pending = documents.flatMap((document) => document.chunks.filter((chunk) => chunk.text !== null))
  const embedded = new Map<PreparedChunk, { vector: Float32Array; truncated: boolean }>()
  if (embedder && pending.length > 0) {
    const texts = pending.map((chunk) => chunk.text ?? "")
    const { vectors, truncated } = await unlessAborted(embedder.embed(texts, "passage", { signal }), signal)
    const cut = new Set(truncated)
    for (const [i, chunk] of pending.entries()) {
      const vector = vectors[i]
      if (vector) embedded.set(chunk, { vector, truncated: cut.has(i) })
    }
  }
  return documents.map((document) => {
    const vectors = new Map<PreparedChunk, ChunkVector>()
    let truncated = 0
    for (const chunk of document.chunks) {
      const own = embedded.get(chunk)
      if (own && embedder) vectors.set(chunk, { model: embedder.model, vector: own.vector })
      if (own?.truncated) truncated++
      if (chunk.vector) {
        vectors.set(chunk, { model: document.callerModel ?? callerSpace(chunk.vector.length), vector: chunk.vector })
      }
    }
    const warnings =
      truncated === 0 ? [] : [`content: the model read ${truncated} of ${document.chunks.length} chunks only in part`]
    return { document, vectors, warnings: [...document.warnings, ...warnings] }
  })
}
