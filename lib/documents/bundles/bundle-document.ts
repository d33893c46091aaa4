import type { Transaction } from "../../database/database.ts"
import type { DetectLanguage } from "../../detect-language.ts"
import type { Embedder } from "../../inference/inference.ts"
import type { IndexRequest } from "../index-request.ts"
import { type PreparedDocument, prepareDocument } from "../prepare-document.ts"
import type { Bundle } from "./read-bundle.ts"

/**
 * A bundle as a document ready to be embedded: its chunks keep their ids where those are free, and have their pictures,
 * whose keys `images` has by the chunk's id.
 */
export function bundleDocument(
  bundle: Bundle,
  images: ReadonlyMap<string, string>,
  embedder: Embedder | null,
  detectLanguage: DetectLanguage,
): PreparedDocument {
  const document = prepareDocument(toRequest(bundle), embedder, detectLanguage)
  const chunks = document.chunks.map((chunk, i) => {
    const givenId = bundle.chunks[i]?.id ?? ""
    const imageKey = images.get(givenId)
    return { ...chunk, givenId, ...(imageKey !== undefined && { imageKey }) }
  })
  return { ...document, chunks, pageCount: pageCountOf(bundle), warnings: [...bundle.warnings, ...unplaced(bundle)] }
}

function toRequest({ id, index, chunks }: Bundle): IndexRequest {
  return {
    id,
    title: index.title,
    ...(index.language !== undefined && { language: index.language }),
    ...(index.source_uri !== undefined && { source_uri: index.source_uri }),
    metadata: index.metadata,
    chunks: chunks.map(({ chunk }) => chunk),
    parents: [],
  }
}

/** As the index says, else the highest page that a chunk stands on; null where none does. */
function pageCountOf({ index, chunks }: Bundle): number | null {
  if (index.pages !== undefined) return index.pages
  const pages = chunks.flatMap(({ chunk }) => chunk.regions.map(({ page }) => page))
  return pages.length === 0 ? null : pages.reduce((highest, page) => Math.max(highest, page))
}

const INSERT_PAGES = `
  insert into pages (source_account_id, document_id, number, source)
  select $1, $2, number, 'given' from generate_series(1, $3::int) number`

/** Writes the pages that a bundle's chunks stand on; there are no pictures of them. */
export async function writeGivenPages(transaction: Transaction, tenant: string, bundle: Bundle): Promise<void> {
  await transaction.query(INSERT_PAGES, [tenant, bundle.id, pageCountOf(bundle) ?? 0])
}

/** Links to pictures go by pages. */
function unplaced({ chunks, images }: Bundle): string[] {
  const count = chunks.filter(({ id, chunk }) => images.has(id) && chunk.regions.length === 0).length
  return count === 0 ? [] : [`images: ${count} belong to chunks that stand on no page, so nothing leads to them`]
}

const RENUMBERED_SHOWN = 5

/** Which chunks could not keep their ids: see `assignIds`. */
export function renumbered({ chunks }: Bundle, ids: readonly string[]): string[] {
  const moved = chunks.flatMap(({ id }, i) => (ids[i] !== undefined && ids[i] !== id ? [`${id} is ${ids[i]}`] : []))
  if (moved.length === 0) return []
  const shown = moved.slice(0, RENUMBERED_SHOWN).join(", ")
  const more = moved.length > RENUMBERED_SHOWN ? ` and ${moved.length - RENUMBERED_SHOWN} more` : ""
  return [`ids: an id that once was another text's is not given again: ${shown}${more}`]
}
