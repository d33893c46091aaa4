import * as z from "zod"
import { DocumentPage, type DocumentSummary, type Documents } from "../../documents/documents.ts"
import { asData } from "../../llm/as-data.ts"
import { StorableText } from "../../shapes.ts"
import type { McpTool } from "../mcp-tool.ts"

const LIMIT_MAX = 200
const LIMIT = 50
const CURSOR_CHARS_MAX = 12_000

const ListDocumentsInput = z.strictObject({
  limit: z.int().min(1).max(LIMIT_MAX).default(LIMIT).describe("Documents to return"),
  cursor: StorableText.max(CURSOR_CHARS_MAX).optional().describe("`next_cursor` of the list before"),
})

/** What there is to ask about, in order of id. */
export function createListDocuments(documents: Documents, { timeoutMs }: Pick<McpTool, "timeoutMs">): McpTool {
  return {
    name: "list_documents",
    title: "List documents",
    description:
      "Lists the documents in order of id, with titles, languages and how many pages and passages they have.",
    scope: "search",
    input: ListDocumentsInput,
    output: DocumentPage,
    timeoutMs,
    isRepeatable: true,
    async call(tenant, { limit, cursor }: z.output<typeof ListDocumentsInput>) {
      const page = await documents.list(tenant, { limit, ...(cursor !== undefined && { cursor }) })
      const { next_cursor } = page
      const shown = { documents: page.documents.map(entryOf), ...(next_cursor !== undefined && { next_cursor }) }
      // A document has no link of its own: its pages and passages do.
      return { data: page, text: asData(shown) }
    },
  }
}

function entryOf({ id, title, status, languages, page_count, chunks }: DocumentSummary) {
  const pages = page_count === undefined ? {} : { pages: page_count }
  return { document_id: id, title, ...(status !== "ready" && { status }), languages, ...pages, passages: chunks }
}
