import { searchModel } from "../../inference/tenant-models.ts"
import type { Answer, OnAnswerEvent } from "../answer.ts"
import { refusalIn } from "../refusal.ts"
import type { AnswerRequest } from "../request.ts"
import type { AnswerCitation, AnswerResponse } from "../response.ts"
import { citationOf } from "../sources.ts"
import { createStepper } from "../stepper.ts"
import { judge, signalsOf, type Verdict } from "./answerability.ts"
import { calibrationFor } from "./calibrations.ts"
import { chooseSentences } from "./choose-sentences.ts"
import { type Evidence, type EvidenceDeps, gatherEvidence } from "./gather-evidence.ts"

const GENERATOR = "extractive"
const NO_TOKENS = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, estimated: false }

/**
 * Answers without a language model: the sentences of the documents that answer best, word for word, each with its
 * citation. What is quoted is supported by where it stands; whether it helps nobody judges (`useful` null). Refuses where
 * `answerability.ts` finds that nothing answers, by limits of the models in use (`calibrations.ts`).
 */
export function createExtractiveAnswer(parts: EvidenceDeps): Answer {
  return async (tenant, request, deadline, onEvent = () => {}) => {
    // Passages, sentences and limits by one model, whatever becomes the tenant's meanwhile.
    const deps = { ...parts, embedder: await searchModel(parts, tenant) }
    const stepper = createStepper(onEvent)
    const evidence = await gatherEvidence(deps, tenant, request, deadline, stepper)
    const verdict = await stepper.run(
      "answerability_grader",
      async () => verdictOf(deps, evidence),
      (label) => ({ label, inputs: { sentences: evidence.sentences.length } }),
    )
    const answered = verdict === "answered"
    deadline.signal.throwIfAborted()
    const written = await stepper.run(
      "generator",
      async () => (answered ? quote(evidence, onEvent) : refuse(evidence, onEvent)),
      ({ sentences }) => ({ label: answered ? `${sentences.length} sentences` : "refusal" }),
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
      ...(request.explain && { explain: [...stepper.steps] }),
    }
  }
}

/** What the three checks say, by the limits of the models that had a say. */
function verdictOf({ embedder, reranker }: EvidenceDeps, evidence: Evidence): Verdict {
  // A model that was late, or can't read the question, gave no signal: then the words decide, as if it weren't there.
  const [best] = evidence.sentences
  const embedded = best?.similarity == null ? null : (embedder?.model ?? null)
  const matched = evidence.matches !== null || !reranker?.matchWords
  const reranked = best?.reranked == null || !matched ? null : (reranker?.model ?? null)
  return judge(signalsOf(evidence), calibrationFor(embedded, reranked))
}

type Written = Pick<AnswerResponse, "answer" | "sentences" | "citations" | "support">

function quote({ sentences, passages }: Evidence, onEvent: OnAnswerEvent): Written {
  const quoted = chooseSentences(sentences, passages).flatMap(({ passage, text }) => {
    const from = passages[passage]
    // As it is quoted: a chunk in two languages may be cited by its translation.
    return from ? [{ text: withoutMarks(text), citation: { ...citationOf(from.hit), content: from.text } }] : []
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

/** What a document has in double brackets would pass for a citation of ours. */
const withoutMarks = (text: string): string => text.replace(/\[{2,}/g, "[").replace(/\]{2,}/g, "]")

function refuse({ language }: Evidence, onEvent: OnAnswerEvent): Written {
  const answer = refusalIn(language)
  onEvent({ type: "token", text: answer })
  return { answer, sentences: [{ text: answer, citations: [], support: null }], citations: [], support: null }
}

function withoutEffect({ retrieval, max_retries: retries }: AnswerRequest): string[] {
  const without = "without a language model"
  return [
    ...(retrieval === "never" ? [`retrieval: had no effect; ${without} every answer is from the documents`] : []),
    ...(retries !== undefined ? [`max_retries: had no effect ${without}`] : []),
  ]
}
