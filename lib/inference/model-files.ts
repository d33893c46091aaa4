import { access, readFile } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { AppError } from "../errors.ts"

/** A model's files: a folder in Hugging Face form, or a name on the hub that is downloaded once. */
export interface ModelSource {
  /** As the model is called in logs and embedding spaces. */
  readonly name: string
  /** Absolute path of its folder, or its name on huggingface.co, which is looked for in `cacheFolder` first. */
  readonly location: string
  /** Absolute path of where downloads are kept, as `<cacheFolder>/<name on the hub>`. */
  readonly cacheFolder: string
}

/** Whether the model's files are in a folder of the operator's; it is then never asked for on the network. */
export function isInFolder(source: ModelSource): boolean {
  return isAbsolute(source.location)
}

/** Attention takes 16 heads × n² × 4 bytes a layer in BGE-M3: 268 MB at 2,048 tokens, 4.3 GB at its full 8,192. */
const TOKENS_MAX = 2_048

/** Models whose table of positions begins with two rows for padding. */
const PADDED_POSITIONS = new Set(["roberta", "xlm-roberta", "camembert", "mpnet"])

/** The fields of `config.json` that matter here, under its own names. */
interface ModelConfig {
  readonly model_type?: unknown
  readonly hidden_size?: unknown
  /** DistilBERT's name for `hidden_size`. */
  readonly dim?: unknown
  readonly max_position_embeddings?: unknown
  readonly pad_token_id?: unknown
}

/** The fields of the files that sentence-transformers writes beside a model. */
interface SentenceConfig {
  readonly pooling_mode_cls_token?: unknown
  readonly max_seq_length?: unknown
}

/** What a model's configuration says that running it needs to know. */
interface ModelFacts {
  /** Length of a token's vector. */
  readonly hiddenSize: number
  /** Longest input, special tokens counted. */
  readonly maxTokens: number
  readonly paddingId: number
  /** Pools by the first token instead of the mean; `null`: the files don't say. */
  readonly poolsFirstToken: boolean | null
}

/** Gathers them from `config.json`, what the tokenizer takes, and the files of sentence-transformers if they are there. */
export async function modelFacts(source: ModelSource, config: ModelConfig, tokenizerMax: number): Promise<ModelFacts> {
  const hiddenSize = numberOr(config.hidden_size, numberOr(config.dim, 0))
  if (hiddenSize < 1) throw new Error("its config.json has no hidden_size")
  const pooling = await readSentenceConfig(source, "1_Pooling/config.json")
  const sentence = await readSentenceConfig(source, "sentence_bert_config.json")
  const first = pooling.pooling_mode_cls_token
  const trained = numberOr(sentence.max_seq_length, TOKENS_MAX)
  return {
    hiddenSize,
    // Some tokenizers say 1e30 when they have no limit.
    maxTokens: Math.min(TOKENS_MAX, tokenizerMax, trained, positions(config)),
    paddingId: numberOr(config.pad_token_id, 0),
    poolsFirstToken: typeof first === "boolean" ? first : null,
  }
}

function positions(config: ModelConfig): number {
  const rows = numberOr(config.max_position_embeddings, TOKENS_MAX)
  return PADDED_POSITIONS.has(String(config.model_type)) ? rows - 2 : rows
}

/** From folders only: on the hub few ONNX models carry these files, and asking costs a request a start. */
async function readSentenceConfig(source: ModelSource, name: string): Promise<SentenceConfig> {
  if (!isInFolder(source) || !(await holdsFile(source.location, name))) return {}
  return JSON.parse(await readFile(join(source.location, name), "utf8")) as SentenceConfig
}

/** Whether the folder holds this file. */
export async function holdsFile(folder: string, name: string): Promise<boolean> {
  return access(join(folder, name)).then(
    () => true,
    () => false,
  )
}

/**
 * The outcome of `work`, which loads a model's files.
 *
 * @throws AppError `inference_unavailable` that says what to look at, whatever went wrong
 */
export async function explainLoading<T>(source: ModelSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const where = isInFolder(source) ? source.location : `${source.cacheFolder} or huggingface.co/${source.location}`
    throw new AppError(
      "inference_unavailable",
      `The model ${source.name} could not be loaded from ${where}. It needs config.json, tokenizer.json, ` +
        "tokenizer_config.json and onnx/model_quantized.onnx or onnx/model.onnx. Check its name and the network, or " +
        "name a local folder that holds these files.",
      { cause: error },
    )
  }
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback
}
