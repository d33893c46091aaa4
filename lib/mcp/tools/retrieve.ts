import * as z from "zod"
import { ToolQuery } from "../../answers/tools/hybrid-search.ts"
import { showPassages } from "../../answers/tools/show-passages.ts"
import type { Tool } from "../../answers/tools/tool.ts"
import { SearchResponse } from "../../search/response.ts"
import type { Retrieve } from "../../search/retrieve.ts"

const TOP_K = 4

const inputOf = (topKMax: number) =>
  z.strictObject({
    query: ToolQuery,
    top_k: z.int().min(1).max(topKMax).default(TOP_K).describe("Passages to return"),
    expand_parents: z
      .boolean()
      .default(true)
      .describe("Whether a passage comes with the text around it, where the document has such parents"),
  })

interface RetrieveOptions {
  /** `retrieve`, and the name that other servers gave it. */
  readonly name: "retrieve" | "retrieve_documents"
  readonly topKMax: number
}

/** The funnel for agents. Chunks of documents without parents come as they are. */
export function createRetrieveTool(
  retrieve: Retrieve,
  { name, topKMax }: RetrieveOptions,
): Tool<ReturnType<typeof inputOf>, typeof SearchResponse> {
  return {
    name,
    description: `Finds the few passages to answer from: by meaning and words, reranked, unlike each other, each with the text around it.${name === "retrieve" ? "" : " The same as `retrieve`."}`,
    input: inputOf(topKMax),
    output: SearchResponse,
    run: async (tenant, input, deadline) => (await retrieve(tenant, input, deadline)).response,
    show: ({ results, degraded }, { charsMax }) => ({ ...showPassages(results, charsMax), degraded }),
  }
}
