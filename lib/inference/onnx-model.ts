import { stat } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { untilAborted } from "../deadline.ts"
import { AppError } from "../errors.ts"
import { explainLoading, holdsFile, isInFolder, type ModelSource, modelFacts } from "./model-files.ts"
import { createTokenizer, type Encode, type Tokenizer, type TokenSequence } from "./tokenizer.ts"

interface OnnxModelOptions {
  /** `encode` gives token vectors, `classify` the logits of a cross-encoder. */
  readonly task: "encode" | "classify"
  /** `int8` falls back to single precision when the model has no quantised file. */
  readonly precision?: "int8" | "single"
  /** Threads of one batch; as many as there are cores, at most 8, when not given. */
  readonly threads?: number
}

/** What a model puts out: row-major numbers and their shape. */
interface ModelOutput {
  readonly data: Float32Array
  readonly shape: readonly number[]
}

/** A model that runs in this process. Its tokenizer is there at once; its weights are loaded by the first use. */
export interface OnnxModel {
  readonly name: string
  readonly tokenizer: Tokenizer
  /** Length of a token's vector. */
  readonly hiddenSize: number
  /** Pools by the first token instead of the mean, as the folder's `1_Pooling` says; `null`: it doesn't say. */
  readonly poolsFirstToken: boolean | null
  /**
   * Loads the weights; a second call waits for the first, and a failed one is tried again. When the signal aborts it
   * rejects with the signal's reason, while loading goes on for the next caller.
   */
  load(signal?: AbortSignal): Promise<void>
  /** `[batch, tokens, hiddenSize]` of an encoder, `[batch, labels]` of a classifier; shorter inputs are padded. */
  run(batch: readonly TokenSequence[]): Promise<ModelOutput>
  close(): Promise<void>
}

type ModelOutputs = Partial<
  Record<
    "logits" | "last_hidden_state" | "token_embeddings",
    { readonly data: unknown; readonly dims: readonly number[] }
  >
>

type Transformers = typeof import("@xenova/transformers")
type LoadedModel = Awaited<ReturnType<Transformers["AutoModel"]["from_pretrained"]>>

/**
 * Opens a model by transformers.js: reads its configuration and tokenizer now and its weights on first use. A model in
 * a folder never touches the network.
 *
 * @throws AppError `inference_unavailable` when the files can't be found or read, here or on first use
 */
export async function openOnnxModel(source: ModelSource, options: OnnxModelOptions): Promise<OnnxModel> {
  const { library, encode, facts } = await explainLoading(source, () => openFiles(source))
  const threads = options.threads ?? defaultThreads()
  const loaded = (count: number) =>
    onceLoaded(() => explainLoading(source, () => loadWeights(library, source, options, count)))
  const weights = loaded(threads)
  const alone = threads > 1 && (await isLight(source)) ? loaded(1) : weights
  return {
    name: source.name,
    hiddenSize: facts.hiddenSize,
    poolsFirstToken: facts.poolsFirstToken,
    tokenizer: createTokenizer(encode, facts.maxTokens),
    async load(signal) {
      await untilAborted(Promise.all([weights.get(), alone.get()]), signal)
    },
    async run(batch) {
      const isShort = batch.length === 1 && (batch[0]?.ids.length ?? 0) <= ALONE_TOKENS_MAX
      const model = await (isShort ? alone : weights).get()
      try {
        return await runBatch(library, model, batch, facts.paddingId)
      } catch (error) {
        throw new AppError("inference_unavailable", `The model ${source.name} failed on a batch.`, { cause: error })
      }
    },
    async close() {
      await weights.close()
      await alone.close()
    },
  }
}

async function openFiles(source: ModelSource) {
  const library = await openLibrary(source)
  const { location } = source
  const options = { local_files_only: isInFolder(source) }
  const [config, tokenizer] = await Promise.all([
    library.AutoConfig.from_pretrained(location, options),
    library.AutoTokenizer.from_pretrained(location, options),
  ])
  const encode: Encode = (text, { pair, specialTokens }) => {
    const encoded = tokenizer(text, {
      text_pair: pair ?? null,
      add_special_tokens: specialTokens,
      return_tensor: false,
      return_token_type_ids: true,
    })
    return { ids: encoded.input_ids, types: encoded.token_type_ids }
  }
  return { library, encode, facts: await modelFacts(source, config as object, tokenizer.model_max_length) }
}

/** Loaded on demand: importing it takes 1 to 2 s and 180 MB, which a start without models in process need not pay. */
async function openLibrary(source: ModelSource): Promise<Transformers> {
  const library = await import("@xenova/transformers")
  // On a failed run it would print the token ids of the input, which is the user's text.
  library.env.logLevel = library.LogLevel.NONE
  // The tokenizer's loader takes these two from here alone.
  library.env.cacheDir = source.cacheFolder
  library.env.localModelPath = source.cacheFolder
  return library
}

async function loadWeights(
  library: Transformers,
  source: ModelSource,
  options: OnnxModelOptions,
  threads: number,
): Promise<LoadedModel> {
  const { AutoModel, AutoModelForSequenceClassification } = library
  const type = options.task === "encode" ? AutoModel : AutoModelForSequenceClassification
  const load = (dtype: "q8" | "fp32") =>
    type.from_pretrained(source.location, {
      dtype,
      device: "cpu",
      local_files_only: isInFolder(source),
      session_options: { intraOpNumThreads: threads, ...WITHOUT_SPINNING },
    }) as Promise<LoadedModel>
  if (options.precision === "single") return load("fp32")
  // What is on disk decides first: asking the hub for a quantised file it doesn't have would fail offline.
  const folder = isInFolder(source) ? source.location : join(source.cacheFolder, source.location)
  if (await holdsFile(folder, QUANTIZED)) return load("q8")
  if (isInFolder(source) || (await holdsFile(folder, "onnx/model.onnx"))) return load("fp32")
  try {
    return await load("q8")
  } catch (error) {
    if (!/locate file|not found/i.test(String(error))) throw error
    return load("fp32")
  }
}

/**
 * onnxruntime's threads spin while they wait for work. Alone on the machine that gains nothing measurable here; beside
 * a busy database it takes the cores from it, and a batch of 4×128 tokens took 92 ms spinning and 40 ms without (median of
 * 25, two cores, load 7). Execution mode, graph optimisation above the default (which is all), memory pattern and
 * arena made no difference or were slower.
 */
const WITHOUT_SPINNING = { extra: { session: { intra_op: { allow_spinning: "0" } } } }

/**
 * A question is too short to be shared out: up to here one thread is faster than two that wake and wait for each other at
 * every layer (MiniLM in int8: 8 tokens 2.0 ms against 2.7, 32 tokens 3.1 against 4.1, 128 tokens 9.9 against 10.7; median
 * of 60, 2 cores of AMD EPYC).
 */
const ALONE_TOKENS_MAX = 128
/** A session keeps its number of threads, so questions have one of their own: a second copy of weights of up to so much. */
const SECOND_COPY_BYTES_MAX = 64_000_000

async function isLight(source: ModelSource): Promise<boolean> {
  if (!isInFolder(source)) return false
  const file = await stat(join(source.location, QUANTIZED)).catch(() => null)
  return file !== null && file.size <= SECOND_COPY_BYTES_MAX
}

const QUANTIZED = "onnx/model_quantized.onnx"

/** Two threads a core are slower than one, and beyond 8 the batches are too small to be shared out. */
function defaultThreads(): number {
  return Math.min(availableParallelism(), 8)
}

async function runBatch(
  { Tensor }: Transformers,
  model: LoadedModel,
  batch: readonly TokenSequence[],
  paddingId: number,
): Promise<ModelOutput> {
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
  const tensor = (data: BigInt64Array) => new Tensor("int64", data, [batch.length, width])
  const inputs = { input_ids: tensor(ids), attention_mask: tensor(mask), token_type_ids: tensor(types) }
  const outputs = (await model(inputs)) as ModelOutputs
  const output = outputs.logits ?? outputs.last_hidden_state ?? outputs.token_embeddings
  if (!(output?.data instanceof Float32Array)) {
    const names = Object.keys(outputs).join(", ")
    throw new Error(`it puts out ${names}, not last_hidden_state, token_embeddings or logits as floats`)
  }
  return { data: output.data, shape: output.dims }
}

/** The value of `open`, asked for once; after a failure the next caller tries again. */
function onceLoaded(open: () => Promise<LoadedModel>) {
  let opening: Promise<LoadedModel> | null = null
  return {
    get(): Promise<LoadedModel> {
      opening ??= open().catch((error: unknown) => {
        opening = null
        throw error
      })
      return opening
    },
    async close(): Promise<void> {
      const open = opening
      opening = null
      await (await open)?.dispose()
    },
  }
}
