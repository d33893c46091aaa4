import { AppError } from "../../errors.ts"
import type { ChatModel } from "../../llm/chat-model.ts"
import { type CitedText, citeSentences } from "../cite-sentences.ts"
import type { CallOutcome } from "../model-calls.ts"
import { forwardTokens } from "./forward-tokens.ts"
import type { GraphNode, GraphRun, NodeResult } from "./graph-run.ts"
import { messagesFor, NO_ANSWER } from "./prompts.ts"
import type { AnswerState } from "./state.ts"

/** Longest answer to a question, tokens: about 700 words. */
const ANSWER_TOKENS_MAX = 1_024
/** Tries at a text that broke off or was too long. Attempts at a server that doesn't answer are the service's own. */
const TRIES_MAX = 2
/** Of sentences that were not supported, told to the next try. */
const UNSUPPORTED_CHARS_MAX = 1_500

/** Longest answer that this model may give. */
export const answerTokens = ({ replyTokensMax }: ChatModel): number => Math.min(ANSWER_TOKENS_MAX, replyTokensMax)

/**
 * Writes the answer from the passages, or without any where none were searched. Without an earlier draft to fall back on
 * it throws `inference_unavailable` when the model gives none, and `deadline_exceeded` when the time is over.
 */
export const generator: GraphNode = async (state, run) => {
  const inputs = { documents: state.sources.length, characters: state.context.length }
  let written = await write(state, run)
  for (let tries = 1; !written.ok && written.kind === "useless" && tries < TRIES_MAX; tries++) {
    // Whoever listens has half of a text that is void.
    run.onEvent({ type: "step", node: "generator", status: "started" })
    written = await write(state, run)
  }
  if (!written.ok) return { ...withoutText(written, state, run), inputs }
  const draft = asDraft(written.value, state)
  return {
    // What was judged is the earlier draft.
    changes: { draft, draftSources: state.sources, sentenceSupport: [], wholeSupport: null, isUseful: null },
    label: draft === null ? NO_ANSWER : `${draft.sentences.length} sentences`,
    inputs,
  }
}

async function write(state: AnswerState, { calls, onEvent }: GraphRun): Promise<CallOutcome<string>> {
  const { question, searches, context, sources } = state
  const unsupported = unsupportedIn(state)
  const forward = forwardTokens(sources, onEvent)
  const written = await calls.write({
    messages: messagesFor({
      task: searches ? "answer" : "answer_directly",
      question,
      ...(searches && { context }),
      ...(unsupported.length > 0 && { material: { unsupported } }),
    }),
    maxTokens: answerTokens(calls.llm),
    onToken: forward.push,
  })
  if (written.ok) forward.end()
  return written
}

/** The sentences of the draft before, when none of it was supported. */
function unsupportedIn({ draft, wholeSupport, sentenceSupport }: AnswerState): string[] {
  if (wholeSupport !== "not_supported" || draft === null) return []
  const sentences: string[] = []
  let characters = 0
  for (const [index, { text }] of draft.sentences.entries()) {
    characters += text.length
    if (sentenceSupport[index] === "not_supported" && characters <= UNSUPPORTED_CHARS_MAX) sentences.push(text)
  }
  return sentences
}

/** Null where the model found no answer, or wrote nothing that says anything. */
function asDraft(text: string, { sources }: AnswerState): CitedText | null {
  if (isNoAnswer(text)) return null
  const draft = citeSentences(text.trim(), sources)
  return draft.sentences.length === 0 ? null : draft
}

/** Models wrap it in quotes, full stops and citations, change its case, and some explain it before or after. */
const isNoAnswer = (text: string): boolean => new RegExp(`\\b${NO_ANSWER}\\b`, "i").test(text)

function withoutText(
  { kind, problem, error }: Extract<CallOutcome<string>, { ok: false }>,
  { draft }: AnswerState,
  { degraded }: GraphRun,
): NodeResult {
  if (error && draft === null) throw error
  if (kind === "over" || (kind === "late" && draft !== null)) {
    degraded.add(`generator: ${problem}; ${draft === null ? "no answer was written" : "this is an earlier draft"}`)
    return { changes: { isCutShort: true }, label: kind }
  }
  if (kind === "late")
    throw new AppError(
      "deadline_exceeded",
      "There was no answer in the time allowed: ask for less, or raise ANSWER_TIMEOUT_MS.",
    )
  throw new AppError("inference_unavailable", `${problem}.`)
}
