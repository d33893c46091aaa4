import { inTurn } from "../../documents/enrichment/in-turn.ts"
import { headingsOf, passageText } from "../../passage.ts"
import { callModel } from "../../search/model-call.ts"
import type { SearchHit } from "../../search/response.ts"
import type { CallOutcome } from "../model-calls.ts"
import { contextXml } from "./context-xml.ts"
import { GRADE_TOKENS, RelevanceGrade } from "./grades.ts"
import type { GraphNode, GraphRun } from "./graph-run.ts"
import { messagesFor } from "./prompts.ts"

/** Whether each passage bears on the question; null: nobody could tell. */
type Verdicts = readonly (boolean | null)[]

/**
 * Judges each new passage. One that couldn't be judged counts as relevant: it was found, and leaving it out would be a
 * silent loss.
 */
export const relevanceGrader: GraphNode = async ({ question, unjudged, relevant, irrelevant }, run) => {
  const verdicts = (await byReranker(question, unjudged, run)) ?? (await byModel(question, unjudged, run))
  const kept = unjudged.filter((_, index) => verdicts[index] !== false)
  const dropped = unjudged.filter((_, index) => verdicts[index] === false)
  return {
    changes: {
      unjudged: [],
      relevant: [...kept, ...relevant],
      irrelevant: [...irrelevant, ...dropped.map(({ citation }) => citation)],
    },
    label: `${kept.length} of ${unjudged.length} relevant`,
    inputs: { documents: unjudged.length, characters: charactersOf(unjudged) },
  }
}

const charactersOf = (hits: readonly SearchHit[]): number => hits.reduce((sum, { content }) => sum + content.length, 0)

/** Null where the language model is to judge. */
async function byReranker(question: string, hits: readonly SearchHit[], run: GraphRun): Promise<Verdicts | null> {
  const { reranker, settings, deadline, degraded } = run
  if (settings.relevanceGrader !== "reranker" || !reranker || hits.length === 0) return null
  const texts = hits.map(({ title, metadata, content }) => passageText(title, headingsOf(metadata), content))
  const result = await callModel("reranking model", settings.rerankTimeoutMs, deadline, (signal) =>
    reranker.score(question, texts, { signal }),
  )
  if ("missing" in result) {
    degraded.add(`relevance_grader: ${result.missing}; the language model judged`)
    return null
  }
  const least = settings.relevanceScoreMin ?? reranker.relevantFrom ?? 0
  return result.value.map((score) => score >= least)
}

async function byModel(question: string, hits: readonly SearchHit[], run: GraphRun): Promise<Verdicts> {
  const { calls, settings, degraded } = run
  const verdicts: (boolean | null)[] = hits.map(() => null)
  let problem: string | null = null
  const grade = async (index: number): Promise<CallOutcome<unknown>> => {
    const asked = await calls.ask({
      name: "RelevanceGrade",
      schema: RelevanceGrade,
      messages: messagesFor({ task: "relevance", question, context: contextXml(hits.slice(index, index + 1)) }),
      maxTokens: GRADE_TOKENS,
    })
    if (asked.ok) verdicts[index] = asked.value.answer === "YES"
    else problem = asked.problem
    return asked
  }
  // The first goes ahead, so that the others find what they have in common with it in the server's cache.
  const first = hits.length > 0 ? await grade(0) : null
  // A server that is down would have each of them wait for as long.
  if (first && (first.ok || first.kind === "useless")) {
    await inTurn([...hits.keys()].slice(1), settings.answerConcurrency, async (index) => {
      await grade(index)
      return []
    })
  }
  const missing = verdicts.filter((verdict) => verdict === null).length
  if (missing > 0) {
    degraded.add(
      `relevance_grader: ${missing} of ${hits.length} passages were not judged and count as relevant: ${problem}`,
    )
  }
  return verdicts
}
