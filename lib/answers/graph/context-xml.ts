import { estimateTokens } from "../../inference/remote-vectors.ts"
import { headingsOf, passageText } from "../../passage.ts"
import type { SearchHit } from "../../search/response.ts"
import { escapePassage } from "./escape-passage.ts"

/**
 * Passages as a model reads them, numbered from 1 in their order. Outside of a `<content>` stands nothing that a document
 * says: title and headings are its first lines, and the source is a letter for the document, the same for its passages of
 * this context, and the page.
 */
export function contextXml(hits: readonly SearchHit[]): string {
  const files = [...new Set(hits.map(({ id }) => id))]
  const documents = hits.map((hit, index) => {
    const page = hit.page === undefined ? "" : `, page ${hit.page}`
    const source = `file ${letters(files.indexOf(hit.id))}${page}`
    return `<document index="${index + 1}"><metadata>Source: ${source} | Relevance Score: ${hit.score.toFixed(2)}</metadata><content>${contentOf(hit)}</content></document>`
  })
  return `<context>${documents.join("\n")}</context>`
}

function contentOf({ title, metadata, content }: SearchHit): string {
  return escapePassage(passageText(title, headingsOf(metadata), content))
}

/** A, B, …, Z, AA, AB, … */
function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last
}

/** Characters of a passage beyond which it is cut where it alone is too long, for each token that there is room for. */
const CHARS_PER_TOKEN = 2

/**
 * The first of the passages that fit into so many tokens together, estimated. One at the least: a first one that is too
 * long by itself loses its end.
 */
export function fittingHits(hits: readonly SearchHit[], tokensMax: number): readonly SearchHit[] {
  const fitting: SearchHit[] = []
  let tokens = 0
  for (const hit of hits) {
    tokens += estimateTokens(contextXml([hit]))
    if (tokens <= tokensMax) fitting.push(hit)
    else if (fitting.length === 0) {
      return [{ ...hit, content: hit.content.slice(0, Math.max(200, tokensMax * CHARS_PER_TOKEN)).toWellFormed() }]
    } else break
  }
  return fitting
}
