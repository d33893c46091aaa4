import { fakeTokens } from "./fake-llm.ts"
import { type ServiceAnswer, startModelService } from "./model-service.ts"

/** A call as it goes over the wire. */
export interface WireCall {
  readonly id?: string | null
  readonly type?: string
  readonly function: { readonly name?: string; readonly arguments?: unknown }
}

/** What the model was sent. */
export interface ToolTurn {
  readonly messages: readonly {
    readonly role: string
    readonly content: string | null
    readonly tool_calls?: readonly WireCall[]
    readonly tool_call_id?: string
  }[]
  /** Names of the tools that it may call. */
  readonly tools: readonly string[]
  /** What the tools returned so far, in order: `result` of each. */
  readonly results: readonly Record<string, unknown>[]
  /** The request itself. */
  readonly body: Record<string, unknown>
}

/** Calls, or text, or both. */
export interface ToolAnswer extends Omit<ServiceAnswer, "json"> {
  readonly content?: unknown
  readonly calls?: readonly WireCall[]
  readonly finishReason?: string
  readonly usage?: object | null
}

/** A call with everything in its place. */
export function call(name: string, given: object, id = `id-${name}`): WireCall {
  return { id, type: "function", function: { name, arguments: JSON.stringify(given) } }
}

/** An OpenAI-compatible language model behind HTTP that calls tools as `reply` says; `aborts` has who went away. */
export async function startFakeToolLlm(reply: (turn: ToolTurn, count: number) => ToolAnswer | null) {
  const turns: ToolTurn[] = []
  const service = await startModelService(({ body, path }, count) => {
    if (path !== "/v1/chat/completions") return { status: 404 }
    const messages = body["messages"] as ToolTurn["messages"]
    const tools = (body["tools"] ?? []) as { function: { name: string } }[]
    const results = messages
      .filter(({ role }) => role === "tool")
      .map(({ content }) => JSON.parse(content ?? "").result)
    const turn = { messages, tools: tools.map((tool) => tool.function.name), results, body }
    turns.push(turn)
    const given = reply(turn, count)
    if (!given) return null
    const { content = null, calls, finishReason = calls ? "tool_calls" : "stop", usage, ...answer } = given
    if ((answer.status ?? 200) !== 200) return { text: "{}", ...answer }
    const message = { role: "assistant", content, ...(calls && { tool_calls: calls }) }
    return {
      ...answer,
      json: {
        choices: [{ index: 0, message, finish_reason: finishReason }],
        usage: usage === undefined ? usageOf(messages, content) : usage,
      },
    }
  })
  return { ...service, baseUrl: `${service.url}/v1`, turns }
}

function usageOf(messages: ToolTurn["messages"], content: unknown): object {
  return {
    prompt_tokens: fakeTokens(JSON.stringify(messages)),
    completion_tokens: fakeTokens(String(content)),
    prompt_tokens_details: { cached_tokens: 64 },
  }
}
