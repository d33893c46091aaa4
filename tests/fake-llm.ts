import { type ServiceAnswer, startModelService } from "./model-service.ts"

/** What the model was asked. */
export interface LlmQuestion {
  /** Of the shape that it must answer in; `text` where any will do. */
  readonly name: string
  readonly system: string
  /** All text of the user's messages. */
  readonly user: string
  /** Data URLs of pictures. */
  readonly images: readonly string[]
}

/** How it answers: `content` as JSON, or text as it is, with what else is odd about it. */
export interface LlmReply extends Omit<ServiceAnswer, "json"> {
  readonly content?: unknown
  /** In place of `content`'s JSON. */
  readonly rawContent?: string
  readonly finishReason?: string
  readonly refusal?: string
  /** Null: no usage is reported. */
  readonly usage?: object | null
  /** Pause before each word of a streamed answer. */
  readonly tokenMs?: number
  /** Words of it after which the connection is cut, or, with `isEndedEarly`, ends as if that were all. */
  readonly words?: number
  readonly isEndedEarly?: boolean
}

interface WireMessage {
  readonly role: string
  readonly content: string | readonly { readonly text?: string; readonly image_url?: { readonly url: string } }[]
}

/** English has about four characters a token. */
export const fakeTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

/** An OpenAI-compatible language model behind HTTP that answers as `reply` says. */
export async function startFakeLlm(reply: (question: LlmQuestion, count: number) => LlmReply | null) {
  const questions: LlmQuestion[] = []
  const service = await startModelService(({ body, path }, count) => {
    if (path !== "/v1/chat/completions") return { status: 404 }
    const messages = body["messages"] as readonly WireMessage[]
    const format = body["response_format"] as { json_schema: { name: string } } | undefined
    const question: LlmQuestion = {
      name: format?.json_schema.name ?? "text",
      system: textOf(messages, "system"),
      user: textOf(messages, "user"),
      images: messages.flatMap(({ content }) =>
        typeof content === "string" ? [] : content.flatMap(({ image_url }) => (image_url ? [image_url.url] : [])),
      ),
    }
    questions.push(question)
    const given = reply(question, count)
    if (!given) return null
    const { content, rawContent = JSON.stringify(content), finishReason = "stop", refusal = null, ...answer } = given
    if (answer.text !== undefined || (answer.status ?? 200) !== 200) return { text: "{}", ...answer }
    const usage = given.usage === undefined ? usageOf(question, rawContent) : given.usage
    if (body["stream"] === true) return { ...answer, ...streamed(given, rawContent, usage) }
    const message = { role: "assistant", content: rawContent, refusal }
    return { ...answer, json: { choices: [{ index: 0, message, finish_reason: finishReason }], usage } }
  })
  return { ...service, baseUrl: `${service.url}/v1`, questions }
}

/** The answer as server-sent events, one a word, behind a comment as OpenRouter sends it. */
function streamed(
  { finishReason = "stop", words, isEndedEarly, tokenMs = 0 }: LlmReply,
  text: string,
  usage: object | null,
) {
  const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    event({ choices: [{ index: 0, delta, finish_reason }] })
  const begun = [": PROCESSING\n\n", chunk({ role: "assistant", content: "" })]
  const pieces = (text.match(/\S+\s*|\s+/g) ?? []).map((content) => chunk({ content }))
  const ended = [chunk({}, finishReason), event({ choices: [], ...(usage && { usage }) }), "data: [DONE]\n\n"]
  const parts = isEndedEarly ? [...begun, ...pieces.slice(0, words)] : [...begun, ...pieces, ...ended]
  return {
    headers: { "content-type": "text/event-stream" },
    parts,
    partMs: tokenMs,
    ...(words !== undefined && !isEndedEarly && { partsSent: begun.length + words }),
  }
}

function textOf(messages: readonly WireMessage[], role: string): string {
  return messages
    .filter((message) => message.role === role)
    .flatMap(({ content }) => (typeof content === "string" ? [content] : content.map(({ text = "" }) => text)))
    .join("\n")
}

function usageOf({ system, user, images }: LlmQuestion, answer = ""): object {
  const prompt_tokens = fakeTokens(system) + fakeTokens(user) + images.length * 1_000
  return { prompt_tokens, completion_tokens: fakeTokens(answer), prompt_tokens_details: { cached_tokens: 64 } }
}
