import * as z from "zod"
import type { Filter } from "../../search/filter.ts"
import { SearchResponse } from "../../search/response.ts"
import type { Retrieve } from "../../search/retrieve.ts"
import { LanguageTag, StorableText } from "../../shapes.ts"
import { showPassages } from "./show-passages.ts"
import type { Tool } from "./tool.ts"

/** Passages of one search of the agent here: eight chunks of 1,000 characters fill what a result may have. */
const TOP_K_MAX = 8
const TOP_K = 5
const QUERY_CHARS_MAX = 1_000

/** What a search by a model asks for. */
export const ToolQuery = StorableText.refine((query) => query.trim() !== "", "must not be empty")
  .max(QUERY_CHARS_MAX)
  .describe('What to find, in words of its own; `"a phrase"` must match, `-word` excludes')

export const HybridSearchInput = z.strictObject({
  query: ToolQuery,
  top_k: z.int().min(1).max(TOP_K_MAX).default(TOP_K).describe("Passages to return"),
  language: LanguageTag.optional().describe("Language of the query, `en` or `pt`; told from its words when absent"),
})

interface HybridSearchDeps {
  readonly retrieve: Retrieve
  /** What may be found at all; not the model's to choose. */
  readonly filter?: Filter | undefined
  /** Most passages that a call may ask for; 8 when absent. */
  readonly topKMax?: number
}

/**
 * Passages by meaning and words, the best first, unlike each other. Chunks and not their parents: a model that wants
 * what stands around one reads its page.
 */
export function createHybridSearch({
  retrieve,
  filter,
  topKMax = TOP_K_MAX,
}: HybridSearchDeps): Tool<typeof HybridSearchInput, typeof SearchResponse> {
  return {
    name: "hybrid_search",
    description: "Finds passages of the documents by meaning and by words at once, the best first.",
    input: HybridSearchInput.extend({
      top_k: z.int().min(1).max(topKMax).default(TOP_K).describe("Passages to return"),
    }),
    output: SearchResponse,
    async run(tenant, input, deadline) {
      const { response } = await retrieve(
        tenant,
        { ...input, expand_parents: false, ...(filter && { filter }) },
        deadline,
      )
      return response
    },
    show: ({ results, degraded }, { charsMax }) => ({ ...showPassages(results, charsMax), degraded }),
  }
}
