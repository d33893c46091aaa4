import type { SearchHit } from "../../search/response.ts"
import type { GraphNode } from "./graph-run.ts"

/**
 * Searches for the query. What an earlier round judged isn't judged again: relevant passages stay, behind or among the new
 * ones, and the others stay out.
 */
export const retrieve: GraphNode = async (state, run) => {
  const { query, relevant, irrelevant, draft, draftSources, searchCount } = state
  const { tenant, request, deadline, degraded, warnings } = run
  const { filter, language, top_k } = request
  const { response } = await run.retrieve(tenant, { query, filter, language, top_k }, deadline)
  for (const note of response.degraded ?? []) degraded.add(note)
  for (const note of response.warnings ?? []) warnings.add(note)
  const found = distinct(response.results).filter(({ citation }) => !irrelevant.includes(citation))
  const known = new Set(relevant.map(({ citation }) => citation))
  const foundAgain = found.filter(({ citation }) => known.has(citation))
  const unjudged = found.filter(({ citation }) => !known.has(citation))
  return {
    changes: {
      searches: true,
      searchCount: searchCount + 1,
      unjudged,
      relevant: distinct([...foundAgain, ...relevant]),
      // One that was written without documents is no answer from them.
      draft: draftSources.length > 0 ? draft : null,
    },
    label: `${unjudged.length} new`,
    inputs: { characters: query.length },
  }
}

function distinct(hits: readonly SearchHit[]): SearchHit[] {
  return [...new Map(hits.map((hit) => [hit.citation, hit])).values()]
}
