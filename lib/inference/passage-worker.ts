import { parentPort, workerData } from "node:worker_threads"
import { InferenceSession, Tensor } from "onnxruntime-node"
import type { PaddedBatch } from "./pad-batch.ts"
import { type Pooling, poolTokens } from "./pool-tokens.ts"

// The entry of the thread that embeds passages: onnxruntime's own session, for transformers.js would take 180 MB more.

/** What the thread is given at its start. */
export interface PassageWorkerData {
  readonly file: string
  readonly options: Record<string, unknown>
  readonly pooling: Pooling
}

/** A batch, padded, and how many tokens each of its texts has. */
export interface PassageRequest extends PaddedBatch {
  readonly lengths: readonly number[]
}

/** Unit vectors in order; or what went wrong, without a word of the texts. */
export type PassageReply = { readonly vectors: readonly Float32Array[] } | { readonly failed: string }

const { file, options, pooling } = workerData as PassageWorkerData
const session = InferenceSession.create(file, options)

async function embed({ dims, lengths, ...inputs }: PassageRequest): Promise<PassageReply> {
  try {
    const model = await session
    const feeds = Object.entries(inputs).filter(([name]) => model.inputNames.includes(name))
    const outputs = await model.run(
      Object.fromEntries(feeds.map(([name, data]) => [name, new Tensor("int64", data, dims)])),
    )
    const output = outputs["last_hidden_state"] ?? outputs["token_embeddings"]
    if (!(output?.data instanceof Float32Array)) {
      return { failed: `it puts out ${Object.keys(outputs).join(", ")}, not last_hidden_state as floats` }
    }
    return { vectors: poolTokens(output.data, dims[1], lengths, pooling) }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

const answer = async (request: PassageRequest) => parentPort?.postMessage(await embed(request))
parentPort?.on("message", (request: PassageRequest) => void answer(request))
// One that can't be loaded says so in the answer to each batch.
session.catch(() => undefined)
