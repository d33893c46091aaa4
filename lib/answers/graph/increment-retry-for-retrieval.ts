import { GRADE_TOKENS, RewrittenQuery } from "./grades.ts"
import type { GraphNode } from "./graph-run.ts"
import { messagesFor } from "./prompts.ts"

/** Longest query that `retrieve` is given, characters. */
const QUERY_CHARS_MAX = 500

/** Counts a retry of the search, and asks the question in other words. Where the model finds none, the question stays. */
export const incrementRetryForRetrieval: GraphNode = async ({ question, query, retryCount }, { calls, degraded }) => {
  const asked = await calls.ask({
    name: "RewrittenQuery",
    schema: RewrittenQuery,
    messages: messagesFor({ task: "rewrite", question, material: { searched_for: query } }),
    maxTokens: GRADE_TOKENS,
  })
  if (!asked.ok) {
    degraded.add(
      `increment_retry_for_retrieval: ${asked.problem}; the question was searched for in its own words again`,
    )
  }
  const rewritten = asked.ok ? searchable(asked.value.query) : ""
  return {
    changes: { retryCount: retryCount + 1, query: rewritten || question },
    label: String(retryCount + 1),
    inputs: { characters: query.length },
  }
}

/** Quotes would demand a phrase and a minus would exclude a word: a model means neither. */
function searchable(query: string): string {
  return query
    .replaceAll("\u0000", "")
    .toWellFormed()
    .replace(/["“”]/g, " ")
    .replace(/(^|\s)-+(?=\S)/g, "$1")
    .slice(0, QUERY_CHARS_MAX)
    .toWellFormed()
    .trim()
}
