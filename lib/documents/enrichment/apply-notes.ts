import type { Embedder } from "../../inference/inference.ts"
import { modelText } from "../model-text.ts"
import { languagesOf, type PreparedChunk, type PreparedDocument } from "../prepare-document.ts"
import type { StoredNotes } from "./enrichments.ts"
import type { ChunkNotes } from "./notes.ts"
import { targetLanguage } from "./translate.ts"

/** The document with what was noted of its chunks; a model of one language then reads the translation, where that is its own. */
export function applyNotes(
  document: PreparedDocument,
  stored: ReadonlyMap<string, StoredNotes<ChunkNotes>>,
  embedder: Embedder | null,
): PreparedDocument {
  if (stored.size === 0) return document
  const chunks = document.chunks.map((chunk): PreparedChunk => {
    const found = stored.get(chunk.hash)
    if (!found) return chunk
    const { translation: any, anomalies, entities } = found.notes
    // The uploader may have said by now that the text is in the language that it was translated into.
    const translation = any?.language === targetLanguage(chunk.language) ? any : undefined
    return {
      ...chunk,
      ...(translation && { translation }),
      anomalies,
      entities,
      enrichedBy: found.model,
      text: embedder && chunk.text !== null ? modelText(embedder, document.title, chunk, translation) : chunk.text,
    }
  })
  return { ...document, chunks, languages: languagesOf(chunks) }
}
