import { measure, stage } from "../activity.ts"
import type { Span } from "../telemetry.ts"
import { type ChatModel, type ChatUsage, UselessReply } from "./chat-model.ts"

/** The same model, whose calls are traced and measured by OpenTelemetry's conventions for GenAI: model and tokens, no message. */
export function observeChatModel(chat: ChatModel): ChatModel {
  const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": chat.model }
  const onEnd = (ms: number) => measure("gen_ai.client.operation.duration", ms / 1_000, attributes)

  function took(span: Span | null, { promptTokens, completionTokens, cachedTokens }: ChatUsage): void {
    span?.set({
      "gen_ai.usage.input_tokens": promptTokens,
      "gen_ai.usage.output_tokens": completionTokens,
      "gen_ai.usage.cache_read.input_tokens": cachedTokens,
    })
    measure("gen_ai.client.token.usage", promptTokens, { ...attributes, "gen_ai.token.type": "input" })
    measure("gen_ai.client.token.usage", completionTokens, { ...attributes, "gen_ai.token.type": "output" })
  }

  const observed = <T extends { readonly usage: ChatUsage }>(call: () => Promise<T>): Promise<T> =>
    stage(
      "llm",
      async (span) => {
        span?.rename(`chat ${chat.model}`)
        try {
          const reply = await call()
          took(span, reply.usage)
          return reply
        } catch (error) {
          if (error instanceof UselessReply) took(span, error.usage)
          throw error
        }
      },
      { kind: "client", attributes, onEnd },
    )

  return {
    ...chat,
    ask: (question) => observed(() => chat.ask(question)),
    callTools: (question) => observed(() => chat.callTools(question)),
    write: (writing) => observed(() => chat.write(writing)),
  }
}
