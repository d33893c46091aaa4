import { readFile } from "node:fs/promises"
import type { ComparedQuery, Comparison } from "../lib/documents/spaces/compare-spaces.ts"
import type { Judgements, MeanInterval } from "../lib/relevance-metrics.ts"
import type { Swap } from "./swap-models.ts"
import type { Terminal } from "./terminal.ts"

interface CompareOptions {
  readonly tenant: string
  readonly queries?: string
  readonly judgments?: string
}

/** Titles that are asked where nobody names queries. */
const SAMPLE = 200

/** `spaces compare`. Of a query its id alone is printed: the number of its line, or the document whose title it is. */
export async function compareTenant(model: string, options: CompareOptions, terminal: Terminal): Promise<void> {
  const { compareSpaces } = await import("../lib/documents/spaces/compare-spaces.ts")
  const { withSwap } = await import("./swap-models.ts")
  const comparison = await withSwap(async (swap) => {
    const { before, after } = await bothSpaces(swap, options.tenant, model)
    const { queries, judgements } = await asked(swap, options)
    return compareSpaces(swap.database, options.tenant, { before, after }, queries, judgements)
  })
  for (const line of described(comparison)) terminal.line(line)
}

async function bothSpaces(swap: Swap, tenant: string, model: string) {
  const { AppError } = await import("../lib/errors.ts")
  const { currentSpace, madeSpace, readSpaces } = await import("../lib/documents/spaces/named-space.ts")
  const spaces = await swap.owner.session((session) => readSpaces(session, tenant))
  const next = madeSpace(spaces, tenant, model)
  // After the swap the other one is the latest that was retired.
  const current = currentSpace(spaces)
  const retired = spaces
    .filter(({ state, opening }) => state === "retired" && opening)
    .toSorted((a, b) => a.stateSeconds - b.stateSeconds)
  const other = current?.id === next.id ? retired[0] : current
  if (!other?.opening)
    throw new AppError("not_found", `Tenant ${tenant} has no other model's vectors to compare ${model} with`)
  return {
    before: { id: other.id, embedder: await swap.open(other.opening) },
    after: { id: next.id, embedder: await swap.open(next.opening) },
  }
}

interface Asked {
  readonly queries: readonly ComparedQuery[]
  readonly judgements?: ReadonlyMap<string, Judgements>
}

async function asked({ database }: Swap, { tenant, queries, judgments }: CompareOptions): Promise<Asked> {
  const { readJudged, readQuestions } = await import("../lib/beir-collection.ts")
  const { sampleTitles } = await import("../lib/documents/spaces/compare-spaces.ts")
  const { AppError } = await import("../lib/errors.ts")
  const toQuery = ({ _id: id, text }: { readonly _id: string; readonly text: string }): ComparedQuery => ({ id, text })
  if (judgments !== undefined) {
    const { questions, judgements } = await readJudged(judgments)
    return { queries: questions.map(toQuery), judgements }
  }
  if (queries?.endsWith(".jsonl")) return { queries: (await readQuestions(queries)).map(toQuery) }
  const found = queries === undefined ? await sampleTitles(database, tenant, SAMPLE) : await readPlain(queries)
  if (found.length > 0) return { queries: found }
  throw new AppError("invalid_request", "There is nothing to ask: name a file of queries with --queries")
}

async function readPlain(path: string): Promise<ComparedQuery[]> {
  const lines = (await readFile(path, "utf8")).split(/\r?\n/)
  return lines.flatMap((text, i) => (text.trim() === "" ? [] : [{ id: `line ${i + 1}`, text }]))
}

function described({ queries, overlap, worst, ndcg }: Comparison): string[] {
  const sum = `overlap@10 ${interval(overlap)} of ${queries} queries`
  const differing = worst.map(({ id, overlap }) => `  ${overlap.toFixed(2)}  ${id}`)
  const judged = ndcg && [
    `nDCG@10 before ${interval(ndcg.before)}`,
    `nDCG@10 after  ${interval(ndcg.after)}`,
    `difference     ${interval(ndcg.gain)}`,
  ]
  return [sum, "The least alike:", ...differing, ...(judged ?? [])]
}

function interval({ mean, low, high }: MeanInterval): string {
  return `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`
}
