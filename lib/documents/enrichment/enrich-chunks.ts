import type { PreparedDocument } from "../prepare-document.ts"
import { batchPassages, type Passage, passagesOf, questionAbout, readAnswer } from "./annotate-chunks.ts"
import { applyNotes } from "./apply-notes.ts"
import type { BoundedCalls, CallOutcome } from "./bounded-calls.ts"
import { createShortfall, type EnrichmentSession, logStop, reasonOf } from "./enrichment-session.ts"
import type { StoredNotes } from "./enrichments.ts"
import { inTurn } from "./in-turn.ts"
import { ChunkNotes } from "./notes.ts"

/** Calls at once: a model server is hardly slower with a few questions than with one. */
export const CALLS_AT_ONCE = 4
/** How often a passage is shown to the model, each time in half the company. */
const TRIES_MAX = 3

interface Batch {
  readonly passages: readonly Passage[]
  readonly tries: number
}

/** Gives chunks their translations, anomalies and entities: those that were noted before, then the model's. */
export async function enrichChunks(session: EnrichmentSession, document: PreparedDocument): Promise<PreparedDocument> {
  const { enrichments, job, embedder, hashes } = session
  const calls = session.openCalls(1)
  hashes.push(...document.chunks.map(({ hash }) => hash))
  const stored = new Map(await enrichments.load(job, "chunk", ChunkNotes))
  if (calls) await annotate(session, calls, document, stored)
  return applyNotes(document, stored, embedder)
}

async function annotate(
  session: EnrichmentSession,
  calls: BoundedCalls,
  document: PreparedDocument,
  stored: Map<string, StoredNotes<ChunkNotes>>,
): Promise<void> {
  const { llm } = calls
  const shortfall = createShortfall("chunks")
  let dropped = 0
  const { passages, tooLong } = passagesOf(document.chunks, llm.replyTokensMax)
  const missing = passages.filter(({ hash }) => !stored.has(hash))
  shortfall.add("they are too long for one answer of the language model (LLM_MAX_TOKENS)", tooLong)
  await session.addSteps(passages.length - missing.length, passages.length)

  async function annotateBatch(batch: Batch): Promise<readonly Batch[]> {
    const outcome = await calls.ask(questionAbout(batch.passages, llm.replyTokensMax))
    const { notes, translationsDropped } = readAnswer(
      outcome.kind === "answer" ? outcome.value : { passages: [] },
      batch.passages,
      session.detectLanguage,
    )
    dropped += translationsDropped
    await session.save({ kind: "chunk", model: llm.model, notes, tokens: outcome.tokens })
    for (const [hash, noted] of notes) stored.set(hash, { model: llm.model, notes: noted })
    const rest = batch.passages.filter(({ hash }) => !notes.has(hash))
    const again = againWith(rest, batch.tries + 1, outcome)
    if (again.length === 0) shortfall.add(reasonOf(outcome, calls), rest.length)
    return again
  }

  const batches = batchPassages(missing, llm.replyTokensMax).map((some): Batch => ({ passages: some, tries: 0 }))
  await inTurn(batches, CALLS_AT_ONCE, annotateBatch)
  logStop(session, calls)
  session.warnings.push(...shortfall.warnings(passages.length + tooLong))
  if (dropped > 0) {
    session.warnings.push(`${dropped} translations were left out: they were no translations of their chunks`)
  }
}

/** What an answer left out is asked again: a shorter answer is more often whole, and one bad passage spoils fewer others. */
function againWith(rest: readonly Passage[], tries: number, { kind }: CallOutcome<unknown>): Batch[] {
  if (rest.length === 0 || tries >= TRIES_MAX || kind === "over" || kind === "stopped") return []
  const half = kind === "down" ? rest.length : Math.ceil(rest.length / 2)
  return [rest.slice(0, half), rest.slice(half)].flatMap((passages) =>
    passages.length > 0 ? [{ passages, tries }] : [],
  )
}
