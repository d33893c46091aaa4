import type { Config } from "../config.ts"
import type { FileReader } from "../documents/file-reader.ts"
import type { AssembleChunks } from "../documents/ingest/assemble-document.ts"
import { AppError } from "../errors.ts"
import type { Embedder } from "../inference/inference.ts"

/** From a file to pages, blocks and chunks. */
export interface FileReading {
  readonly fileReader: FileReader
  readonly assembleChunks: AssembleChunks
}

/** Opens what reads files; threads start with the first. */
export function openFileReading(_config: Config, _embedder: Embedder | null): FileReading {
  const unsupported = async () => {
    throw new AppError("document_unsupported", "No reader of files is put in here")
  }
  return {
    fileReader: {
      inspect: unsupported,
      readPage: unsupported,
      readFlow: unsupported,
      layOut: unsupported,
      close: async () => {},
    },
    assembleChunks: unsupported,
  }
}
