import type { ReadDocument } from "../block.ts"
import type { BoundedCalls } from "./bounded-calls.ts"
import {
  describeBlocks,
  type Figure,
  findFigures,
  type PagePicture,
  questionAboutFigure,
  readDescription,
} from "./describe-figures.ts"
import { CALLS_AT_ONCE } from "./enrich-chunks.ts"
import { createShortfall, type EnrichmentSession, logStop, reasonOf } from "./enrichment-session.ts"
import { inTurn } from "./in-turn.ts"
import { FigureNotes } from "./notes.ts"

/** Figures may take half of the tokens: text is what most questions are about. */
const TOKENS_SHARE = 0.5
/** Text by which the document's language is told, characters. */
const SAMPLE_CHARS = 500
const DEFAULT_LANGUAGE = "en"

/**
 * Puts descriptions below the captions of figures, before the document is cut into chunks: a figure with neither makes
 * none, for there is nothing to find it by. Formats without pictures of pages have no figures that could be shown.
 */
export async function enrichFigures(
  session: EnrichmentSession,
  document: ReadDocument,
  pictures: ReadonlyMap<number, PagePicture>,
): Promise<ReadDocument> {
  const { enrichments, job, objects, signal } = session
  const calls = session.openCalls(TOKENS_SHARE)
  const stored = await enrichments.load(job, "figure", FigureNotes)
  if (!calls && stored.size === 0) return document
  const { figures, skipped } = await findFigures(document, pictures, objects, signal)
  session.hashes.push(...figures.map(({ hash }) => hash))
  const noted = new Map([...stored].map(([hash, { notes }]) => [hash, notes]))
  if (calls) {
    const distinct = [...new Map(figures.map((figure) => [figure.hash, figure])).values()]
    const missing = distinct.filter(({ hash }) => !noted.has(hash))
    const shortfall = createShortfall("figures")
    shortfall.add("a document has more than are looked at", skipped)
    await session.addSteps(distinct.length - missing.length, distinct.length)
    const language = languageOf(session, document)
    await inTurn(missing, CALLS_AT_ONCE, async (figure) => {
      const reason = await describe(session, calls, figure, language, noted)
      if (reason !== null) shortfall.add(reason, 1)
      return []
    })
    logStop(session, calls)
    session.warnings.push(...shortfall.warnings(distinct.length + skipped))
  }
  const descriptions = new Map<number, string>()
  for (const { block, hash } of figures) {
    const description = noted.get(hash)?.description
    if (description) descriptions.set(block, description)
  }
  return describeBlocks(document, descriptions)
}

/** Null, or why there is no description. */
async function describe(
  session: EnrichmentSession,
  calls: BoundedCalls,
  figure: Figure,
  language: string,
  noted: Map<string, FigureNotes>,
): Promise<string | null> {
  // Drawing its picture would be for nothing.
  if (calls.stopReason() !== null) return calls.stopReason()
  const outcome = await calls.ask(await questionAboutFigure(figure, language))
  const notes = outcome.kind === "answer" ? readDescription(outcome.value) : null
  const noting = new Map(notes ? [[figure.hash, notes]] : [])
  await session.save({ kind: "figure", model: calls.llm.model, notes: noting, tokens: outcome.tokens })
  if (notes) noted.set(figure.hash, notes)
  return notes ? null : reasonOf(outcome, calls)
}

function languageOf({ job, detectLanguage }: EnrichmentSession, { blocks, language }: ReadDocument): string {
  let sample = ""
  for (const { kind, text } of blocks) {
    if (sample.length >= SAMPLE_CHARS) break
    if (kind === "text") sample += `${text} `
  }
  return job.options.language ?? detectLanguage(sample) ?? language?.toLowerCase() ?? DEFAULT_LANGUAGE
}
