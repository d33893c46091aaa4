import type { Config } from "../config.ts"
import { chunkBlocks } from "../documents/chunking/chunk-blocks.ts"
import { chunkSizes } from "../documents/chunking/chunk-sizes.ts"
import type { FileReader } from "../documents/file-reader.ts"
import type { AssembleChunks } from "../documents/ingest/assemble-document.ts"
import { createFileReader, type FileReaderOptions } from "../documents/pages/create-file-reader.ts"
import { tokenCounter } from "../documents/token-counter.ts"
import type { Embedder } from "../inference/inference.ts"

/** From a file to pages, blocks and chunks. */
export interface FileReading {
  readonly fileReader: FileReader
  readonly assembleChunks: AssembleChunks
}

/** Opens what reads files; threads start with the first. `entries` are those of a bundle. */
export function openFileReading(
  config: Config,
  embedder: Embedder | null,
  entries?: FileReaderOptions["entries"],
): FileReading {
  const countTokens = tokenCounter(embedder)
  const sizes = { ...chunkSizes(config), tokensMax: embedder?.maxTokens ?? null }
  return {
    fileReader: createFileReader({ threads: config.ingestConcurrency, ...(entries && { entries }) }),
    assembleChunks: (document, { flat, title }) => chunkBlocks(document, { ...sizes, flat, title }, countTokens),
  }
}
