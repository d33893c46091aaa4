import type { Answer, OnAnswerEvent } from "../answer.ts"
import { refusalText } from "../refusal.ts"
import type { AnswerRequest } from "../request.ts"
import type { AnswerCitation, AnswerResponse, AnswerStep } from "../response.ts"
import { citationOf } from "../sources.ts"
import { judge, signalsOf, type Verdict } from "./answerability.ts"
import { calibrationFor } from "./calibrations.ts"
import { chooseSentences } from "./choose-sentences.ts"
import { type Evidence, type EvidenceDeps, gatherEvidence, type RunStep } from "./gather-evidence.ts"

const GENERATOR = "extractive"
const NO_TOKENS = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, estimated: false }

/**
 * Answers without a language model: the sentences of the documents that answer best, word for word, each with its
 * citation. What is quoted is supported by where it stands; whether it helps nobody judges (`useful` null). Refuses where
 * `answerability.ts` finds that nothing answers, by limits of the models in use (`calibrations.ts`).
 */
export function createExtractiveAnswer(deps: EvidenceDeps): Answer {
  return async (tenant, request, deadline, onEvent = () => {}) => {
    const steps: AnswerStep[] = []
    const step = stepRunner(steps, onEvent)
    const evidence = await gatherEvidence(deps, tenant, request, deadline, step)
    const verdict = await step(
      "answerability_grader",
      async () => verdictOf(deps, evidence),
      () => ({ sentences: evidence.sentences.length }),
      (label) => label,
    )
    const answered = verdict === "answered"
    deadline.signal.throwIfAborted()
    const written = await step("generator", async () =>
      answered ? quote(evidence, onEvent) : refuse(evidence, onEvent),
    )
    const warnings = [...evidence.warnings, ...withoutEffect(request)]
    return {
      ...written,
      useful: null,
      retrieved: true,
      refused: !answered,
      retries: 0,
      removed_citations: 0,
      generator: GENERATOR,
      usage: NO_TOKENS,
      ...(evidence.degraded.length > 0 && { degraded: [...evidence.degraded] }),
      ...(warnings.length > 0 && { warnings }),
      ...(request.explain && { explain: steps }),
    }
  }
}

/** What the three checks say, by the limits of the models that had a say. */
function verdictOf({ embedder, reranker }: EvidenceDeps, evidence: Evidence): Verdict {
  // A model that was late, or can't read the question, gave no signal: then the words decide, as if it weren't there.
  const [best] = evidence.sentences
  const embedded = best?.similarity == null ? null : (embedder?.model ?? null)
  const reranked = best?.reranked == null ? null : (reranker?.model ?? null)
  return judge(signalsOf(evidence), calibrationFor(embedded, reranked))
}

type Written = Pick<AnswerResponse, "answer" | "sentences" | "citations" | "support">

function quote({ sentences, passages }: Evidence, onEvent: OnAnswerEvent): Written {
  const quoted = chooseSentences(sentences, passages).flatMap(({ passage, text }) => {
    const from = passages[passage]
    // As it is quoted: a chunk in two languages may be cited by its translation.
    return from ? [{ text, citation: { ...citationOf(from.hit), content: from.text } }] : []
  })
  const citations = new Map<string, AnswerCitation>()
  const pieces: string[] = []
  for (const { text, citation } of quoted) {
    const piece = `${pieces.length === 0 ? "" : "\n"}${text} ${citation.citation}`
    pieces.push(piece)
    onEvent({ type: "token", text: piece })
    if (citations.has(citation.citation)) continue
    citations.set(citation.citation, citation)
    onEvent({ type: "citation", citation })
  }
  return {
    answer: pieces.join(""),
    sentences: quoted.map(({ text, citation }) => ({
      text,
      citations: [citation.citation],
      support: "fully_supported",
    })),
    citations: [...citations.values()],
    support: "fully_supported",
  }
}

function refuse({ language }: Evidence, onEvent: OnAnswerEvent): Written {
  const answer = refusalText(language)
  onEvent({ type: "token", text: answer })
  return { answer, sentences: [{ text: answer, citations: [], support: null }], citations: [], support: null }
}

/** Tells of each step as it starts and ends, and keeps it for `explain`. */
function stepRunner(steps: AnswerStep[], onEvent: OnAnswerEvent) {
  const run = async <T>(
    node: string,
    work: () => Promise<T>,
    sizes?: (of: T) => Record<string, number>,
    label?: (of: T) => string,
  ): Promise<T> => {
    onEvent({ type: "step", node, status: "started" })
    const began = performance.now()
    const result = await work()
    const inputs = sizes?.(result)
    const ended: AnswerStep = {
      node,
      ...(label && { label: label(result) }),
      ms: Math.round((performance.now() - began) * 10) / 10,
      ...(inputs && { inputs }),
    }
    steps.push(ended)
    onEvent({ type: "step", node, status: "ended", step: ended })
    return result
  }
  return run satisfies RunStep
}

function withoutEffect({ messages = [], retrieval, max_retries: retries }: AnswerRequest): string[] {
  const without = "without a language model"
  return [
    ...(messages.length > 1 ? [`messages: ${without} only the last one is read`] : []),
    ...(retrieval === "never" ? [`retrieval: had no effect; ${without} every answer is from the documents`] : []),
    ...(retries !== undefined ? [`max_retries: had no effect ${without}`] : []),
  ]
}
