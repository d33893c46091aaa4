import type { DetectLanguage } from "../../detect-language.ts"
import { refusalIn } from "../refusal.ts"
import type { AnswerResponse } from "../response.ts"
import { citationOf } from "../sources.ts"
import type { GraphRun } from "./graph-run.ts"
import type { AnswerState } from "./state.ts"

/** The response that a run ends in: its draft with what proves it, or a refusal in the question's language. */
export async function finishAnswer(
  state: AnswerState,
  run: GraphRun,
  detector: (() => Promise<DetectLanguage>) | null,
): Promise<AnswerResponse> {
  const { searches, wholeSupport, isUseful, retryCount } = state
  const { request, calls, degraded, warnings, steps } = run
  const said = state.draft ? answered(state) : await refused(state, run, detector)
  return {
    ...said,
    support: state.draft ? wholeSupport : null,
    useful: state.draft ? isUseful : false,
    retrieved: searches,
    refused: state.draft === null,
    retries: retryCount,
    generator: calls.llm.model,
    usage: calls.usage(),
    ...(degraded.size > 0 && { degraded: [...degraded] }),
    ...(warnings.size > 0 && { warnings: [...warnings] }),
    ...(request.explain && { explain: steps }),
  }
}

type Said = Pick<AnswerResponse, "answer" | "sentences" | "citations" | "removed_citations">

function answered({ draft, draftSources, sentenceSupport }: AnswerState): Said {
  const { answer = "", sentences = [], cited = [], removed = 0 } = draft ?? {}
  return {
    answer,
    sentences: sentences.map(({ text, citations }, index) => ({
      text,
      citations: [...citations],
      support: sentenceSupport[index] ?? null,
    })),
    citations: cited.flatMap((index) => {
      const hit = draftSources[index]
      return hit ? [citationOf(hit)] : []
    }),
    removed_citations: removed,
  }
}

async function refused(
  { question }: AnswerState,
  { request, onEvent }: GraphRun,
  detector: (() => Promise<DetectLanguage>) | null,
): Promise<Said> {
  const language = request.language ?? (await detector?.())?.(question) ?? null
  const text = refusalIn(language)
  onEvent({ type: "token", text })
  return { answer: text, sentences: [{ text, citations: [], support: null }], citations: [], removed_citations: 0 }
}
