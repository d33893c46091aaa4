import * as z from "zod"
import type { ChatMessage, OfferedTool, ToolCall, ToolMessage } from "./chat-model.ts"
import { jsonSchemaOf } from "./json-schema-of.ts"

/** A call as servers write it: some leave the id out, some have the arguments as an object, or null where there are none. */
export const WireToolCall = z.object({
  id: z.string().nullish(),
  function: z.object({
    name: z.string().nullish(),
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  }),
})
type WireToolCall = z.infer<typeof WireToolCall>

/** Messages and tools as the fields of a request. A conversation whose tools may not be called any more offers none. */
export function toolBody(
  messages: readonly ToolMessage[],
  tools: readonly OfferedTool[],
  messageToWire: (message: ChatMessage) => object,
): Readonly<Record<string, unknown>> {
  return {
    messages: messages.map((message) => {
      if ("callId" in message) return { role: "tool", tool_call_id: message.callId, content: message.content }
      if ("toolCalls" in message) return callsToWire(message.text, message.toolCalls)
      return messageToWire(message)
    }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, input }) => ({
        type: "function",
        function: { name, description, parameters: jsonSchemaOf(input, "input") },
      })),
      tool_choice: "auto",
    }),
  }
}

function callsToWire(text: string, toolCalls: readonly ToolCall[]): object {
  return {
    role: "assistant",
    content: text === "" ? null : text,
    tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      type: "function",
      // vLLM parses the arguments of earlier calls, and refuses the whole request where they are malformed.
      function: { name, arguments: JSON.stringify("value" in given ? given.value : {}) },
    })),
  }
}

/**
 * What the model called, and what it wrote besides. Where a call is malformed, vLLM's `hermes` parser leaves it in the text
 * as it is, between `<tool_call>` and `</tool_call>`; it is a call all the same, or else it would pass for an answer.
 */
export function toolCallsIn(
  text: string,
  calls: readonly WireToolCall[],
): { readonly text: string; readonly toolCalls: readonly ToolCall[] } {
  const written = calls.length > 0 ? [] : [...text.matchAll(WRITTEN)].map(([, json = ""]) => fromText(json))
  const ids = new Set<string>()
  const toolCalls = [...calls, ...written].map((call, index) => {
    const name = call.function.name?.trim() ?? ""
    // Two calls of one id could not be told apart in the answers to them.
    const id = call.id && !ids.has(call.id) ? call.id : ownId(index)
    ids.add(id)
    return { id, name, arguments: readArguments(call.function.arguments) }
  })
  return { text: written.length > 0 ? text.replace(WRITTEN, "").trim() : text, toolCalls }
}

const WRITTEN = /<tool_call>\s*([\s\S]*?)\s*(?:<\/tool_call>|$)/g

const Written = z.object({ name: z.string(), arguments: z.unknown() })

function fromText(json: string): WireToolCall {
  const parsed = Written.safeParse(parsedOrNull(json))
  if (!parsed.success) return { function: { name: "", arguments: json } }
  return { function: { name: parsed.data.name, arguments: JSON.stringify(parsed.data.arguments) } }
}

/** Nine letters and digits: Mistral's template takes no other length. */
const ownId = (index: number): string => `call${String(index + 1).padStart(5, "0")}`

/** No arguments come as nothing, `""` or `null`, by the server. */
function readArguments(given: WireToolCall["function"]["arguments"]): ToolCall["arguments"] {
  if (given === null || given === undefined) return { value: {} }
  if (typeof given !== "string") return { value: given }
  if (given.trim() === "" || given.trim() === "null") return { value: {} }
  const parsed = z.record(z.string(), z.unknown()).safeParse(parsedOrNull(given))
  return parsed.success ? { value: parsed.data } : { problem: "The arguments are not a JSON object" }
}

function parsedOrNull(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
