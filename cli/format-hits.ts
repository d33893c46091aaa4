import type { SearchHit, SearchResponse } from "../lib/search/response.ts"
import type { Timings } from "../lib/search/search.ts"
import { formatSnippet } from "./snippet.ts"
import { printable, type Terminal } from "./terminal.ts"
import { clip, widthOf } from "./wrap-text.ts"

type Style = Pick<Terminal, "bold" | "dim" | "columns">

const INDENT = "    "
const SNIPPET_LINES = 3
/** Hits of each stage's list that `--explain` prints. */
const STAGE_HITS = 5

/** The hits as a person reads them: rank, score and title, where to cite it, and the passage with its words marked. */
export function formatHits({ results }: Pick<SearchResponse, "results">, style: Style): string[] {
  return results.flatMap((hit, index) => [...(index > 0 ? [""] : []), ...formatHit(hit, index + 1, style)])
}

function formatHit(hit: SearchHit, rank: number, style: Style): string[] {
  const head = `${String(rank).padStart(2)}  ${hit.score.toFixed(4)}  `
  const title = clip(printable(hit.title || hit.id), style.columns - head.length)
  const facts = [
    hit.language,
    ...(hit.similarity === undefined ? [] : [`meaning ${hit.similarity.toFixed(3)}`]),
    ...(hit.text_rank === undefined ? [] : [`words ${hit.text_rank.toFixed(2)}`]),
  ]
  const snippet = formatSnippet(hit.content, hit.highlights ?? [], {
    width: style.columns - INDENT.length,
    lines: SNIPPET_LINES,
    emphasize: style.bold,
  })
  return [
    head + style.bold(title),
    ...placeLines(printable(hit.citation), facts.join(" · "), style.columns).map((line) => INDENT + style.dim(line)),
    ...snippet.map((line) => INDENT + line),
  ]
}

/** A citation with what is known of the hit, in two lines where one is too narrow. */
function placeLines(citation: string, facts: string, columns: number): string[] {
  const line = `${citation}  ${facts}`
  return widthOf(line) <= columns - INDENT.length ? [line] : [citation, facts]
}

/** What `--explain` adds: the head of each stage's list, and the time that each stage took. */
export function formatStages(
  { explain = [] }: Pick<SearchResponse, "explain">,
  timings: Timings,
  style: Style,
): string[] {
  const lists = explain.flatMap(({ stage, hits }) => [
    "",
    style.bold(`${stage}: ${hits.length} ${hits.length === 1 ? "hit" : "hits"}`),
    ...hits.slice(0, STAGE_HITS).map((hit, index) => {
      const score = hit.score.toFixed(4).padStart(9)
      return clip(`${String(index + 1).padStart(6)}${score}  ${printable(hit.id)}#${hit.chunk_id}`, style.columns)
    }),
  ])
  const times = timings.map(({ stage, ms }) => `${stage} ${ms.toFixed(1)} ms`).join(", ")
  return [...lists, "", style.dim(times)]
}
