import * as z from "zod"
import type { DocumentPages } from "../../documents/document-pages.ts"
import { PageDetails } from "../../documents/page-details.ts"
import { DocumentId } from "../../shapes.ts"
import { chunkAsHit } from "./chunk-as-hit.ts"
import { showPassages } from "./show-passages.ts"
import type { Tool } from "./tool.ts"

export const GetPageChunksInput = z.strictObject({
  document_id: DocumentId.describe("What stands before `/p` in a citation"),
  page: z.int().min(1).max(100_000).describe("From 1"),
})

/** A page in reading order, for what stands around a passage. */
export function createGetPageChunks(
  pages: Pick<DocumentPages, "get">,
): Tool<typeof GetPageChunksInput, typeof PageDetails> {
  return {
    name: "get_page_chunks",
    description: "Reads all passages of one page of a document, in reading order.",
    input: GetPageChunksInput,
    output: PageDetails,
    run: (tenant, { document_id, page }) => pages.get(tenant, document_id, page),
    show: ({ chunks }, { tenant, charsMax }) =>
      showPassages(
        chunks.map((chunk) => chunkAsHit(tenant, chunk)),
        charsMax,
      ),
  }
}
