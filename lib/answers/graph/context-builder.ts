import { contextTokens } from "../../llm/context-tokens.ts"
import { promptTokens } from "../../llm/openai-chat-model.ts"
import { contextXml, fittingHits } from "./context-xml.ts"
import { answerTokens } from "./generator.ts"
import type { GraphNode } from "./graph-run.ts"
import { messagesFor } from "./prompts.ts"

/** The relevant passages as XML, as many of them as the model's context has room for beside the answer and the rest of the message. */
export const contextBuilder: GraphNode = async ({ question, relevant }, { calls: { llm }, degraded }) => {
  const rest = promptTokens(messagesFor({ task: "answer", question })) + RETRY_TOKENS
  const sources = fittingHits(relevant, contextTokens(llm.replyTokensMax) - answerTokens(llm) - rest)
  if (sources.length < relevant.length) {
    degraded.add(
      `context_builder: ${relevant.length - sources.length} of ${relevant.length} relevant passages did not fit into the model's context (twice LLM_MAX_TOKENS, or 8,192 tokens)`,
    )
  }
  if ((sources[0]?.content.length ?? 0) < (relevant[0]?.content.length ?? 0)) {
    degraded.add("context_builder: the first passage lost its end, because it did not fit into the model's context")
  }
  const context = contextXml(sources)
  return {
    changes: { sources, context },
    label: `${sources.length} passages`,
    inputs: { documents: relevant.length, characters: context.length },
  }
}

/** For the sentences of an earlier try that were not supported. */
const RETRY_TOKENS = 500
