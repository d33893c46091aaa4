import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { misconfigured } from "./inference-settings.ts"
import type { ModelSource } from "./model-files.ts"

/** The embedded default, as its authors call it. */
export const MINILM = "sentence-transformers/all-MiniLM-L6-v2"
/** The embedder of the profile `m3`. */
export const M3 = "BAAI/bge-m3"
/** The reranker of the profile `m3`. */
export const M3_RERANKER = "BAAI/bge-reranker-v2-m3"

/**
 * Models whose authors publish no ONNX files that this process can load, and who does. Vectors of either stand in one
 * embedding space, which is called as the authors call the model.
 */
const CONVERSIONS: readonly { readonly name: string; readonly onnx: string }[] = [
  { name: MINILM, onnx: "Xenova/all-MiniLM-L6-v2" },
  { name: M3, onnx: "Xenova/bge-m3" },
  { name: M3_RERANKER, onnx: "onnx-community/bge-reranker-v2-m3-ONNX" },
  { name: "cross-encoder/ms-marco-MiniLM-L-6-v2", onnx: "Xenova/ms-marco-MiniLM-L-6-v2" },
  { name: "cross-encoder/ms-marco-MiniLM-L-12-v2", onnx: "Xenova/ms-marco-MiniLM-L-12-v2" },
]

const HUB_NAME = /^[\w.-]+\/[\w.-]+$/

/**
 * Where the files of a model are that a setting names: a folder when it begins with `/`, `./`, `../` or `~/`, else a
 * name on Hugging Face, or the last part of a well-known one.
 *
 * @throws AppError `invalid_configuration` for anything else
 */
export function modelSource(model: string, cacheFolder: string, setting: string): ModelSource {
  const path = model.startsWith("~/") ? join(homedir(), model.slice(2)) : model
  if (/^(\.{0,2}\/|[a-z]:\\)/i.test(path)) return { name: model, location: resolve(path), cacheFolder }
  const known = conversion(model)
  if (known) return { name: known.name, location: known.onnx, cacheFolder }
  if (HUB_NAME.test(model)) return { name: model, location: model, cacheFolder }
  throw misconfigured(setting, "must be owner/name as on Hugging Face, or a path that begins with / or ./")
}

/** What a setting calls the model whose files are in this folder of the cache; null where only its path will do. */
export function nameOfCached(folder: string): string | null {
  return conversion(folder)?.name ?? (HUB_NAME.test(folder) ? folder : null)
}

function conversion(model: string) {
  return CONVERSIONS.find(({ name, onnx }) => [name, onnx, name.slice(name.indexOf("/") + 1)].includes(model))
}
