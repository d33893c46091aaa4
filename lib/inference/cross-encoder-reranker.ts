import { AppError } from "../errors.ts"
import { batchesByLength } from "./batches.ts"
import type { Reranker } from "./inference.ts"
import type { OnnxModel } from "./onnx-model.ts"
import type { TokenSequence } from "./tokenizer.ts"
import type { WorkQueue } from "./work-queue.ts"

interface CrossEncoderParts {
  /** Opened with the task `classify`. */
  readonly model: OnnxModel
  /** Shared by all models of the process. */
  readonly queue: WorkQueue
}

/**
 * Scores with a cross-encoder in this process, which reads the query and a passage together: the logit of its one
 * label, or of two labels how far the second (relevant) is above the first. Pairs are sorted by length and batched by
 * tokens; a passage too long for the model loses its tail. Aborts between batches.
 */
export function createCrossEncoderReranker({ model, queue }: CrossEncoderParts): Reranker {
  return {
    model: model.name,
    async score(query, passages, { signal, isPatient = false } = {}) {
      await model.load(signal)
      const inputs = passages.map(model.tokenizer.pair(query))
      const scores = new Array<number>(passages.length).fill(0)
      const batches = batchesByLength(inputs.map((input) => input.ids.length))
      for (const [n, indices] of batches.entries()) {
        const batch = indices.map((i) => inputs[i] as TokenSequence)
        const { data, shape } = await queue.run("query", () => model.run(batch), {
          signal,
          isPatient: isPatient || n > 0,
        })
        const labels = labelCount(model.name, shape)
        for (const [row, index] of indices.entries()) scores[index] = relevance(data, row * labels, labels)
      }
      return scores
    },
  }
}

function labelCount(name: string, shape: readonly number[]): 1 | 2 {
  const labels = shape[1]
  if (shape.length === 2 && (labels === 1 || labels === 2)) return labels
  throw new AppError(
    "inference_unavailable",
    `RERANK_MODEL ${name} puts out the shape [${shape.join(", ")}], which is no cross-encoder's: it must have one or two labels. ` +
      "Name a reranker such as Xenova/ms-marco-MiniLM-L-12-v2.",
  )
}

function relevance(logits: Float32Array, at: number, labels: 1 | 2): number {
  const first = logits[at] as number
  return labels === 1 ? first : (logits[at + 1] as number) - first
}
