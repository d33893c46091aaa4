import * as z from "zod"
import { parseCitation } from "../../citation.ts"
import type { DocumentPages } from "../../documents/document-pages.ts"
import { ChunkDetails } from "../../documents/page-details.ts"
import { invalidField } from "../../errors.ts"
import { StorableText } from "../../shapes.ts"
import { chunkAsHit } from "./chunk-as-hit.ts"
import { showPassages } from "./show-passages.ts"
import type { Tool } from "./tool.ts"

/** Longest citation: ids of 1,024 bytes, three characters each where they are escaped. */
const CITATION_CHARS_MAX = 8_000

export const ReadChunkInput = z.strictObject({
  citation: StorableText.min(1).max(CITATION_CHARS_MAX).describe("Of the passage to read: `[[doc/p007#c0042]]`"),
})

/** One passage in full, with what was noted of it. */
export function createReadChunk(pages: Pick<DocumentPages, "chunk">): Tool<typeof ReadChunkInput, typeof ChunkDetails> {
  return {
    name: "read_chunk",
    description: "Reads one passage in full, by its citation, with the anomalies that were noted of it.",
    input: ReadChunkInput,
    output: ChunkDetails,
    async run(tenant, { citation }) {
      const cited = parseCitation(citation)
      if (!cited) throw invalidField("citation", "must be one like [[doc/p007#c0042]], as a result had it")
      return pages.chunk(tenant, cited.documentId, cited.chunkId)
    },
    show(chunk, { tenant, charsMax }) {
      const { anomalies } = chunk
      const notes = anomalies?.map(({ kind, note }) => ({ kind, note })) ?? []
      const rest = { anomalies: notes }
      // Two hundred notes of 2,000 characters may stand at one chunk: they have what the text leaves.
      while (notes.length > 0 && JSON.stringify(rest).length > charsMax / 3) notes.pop()
      return showPassages([chunkAsHit(tenant, chunk)], charsMax, notes.length > 0 ? rest : {})
    },
  }
}
