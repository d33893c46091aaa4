import { createParser } from "eventsource-parser"
import * as z from "zod"
import { TokenCounts } from "./token-counts.ts"

const Chunk = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        delta: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
  usage: TokenCounts.nullish(),
  error: z.unknown().optional(),
})

/** A streamed completion, as far as it came. */
export interface StreamedCompletion {
  text: string
  refusal: string
  /** Null while the server hasn't said that the answer is whole. */
  finishReason: string | null
  usage: TokenCounts | null
  /** What broke the stream off; null of one that ended by itself. */
  broken: unknown
}

/**
 * Reads server-sent events of `/chat/completions` (`stream: true`), and tells each piece of text as it comes. `begin` is
 * called before the first. A stream that breaks off after it is given back as far as it came; before it, its error is
 * thrown. Comments, by which some services keep the connection open, say nothing.
 */
export async function readCompletion(
  parts: AsyncIterable<Uint8Array>,
  begin: () => void,
  onText: (text: string) => void = () => {},
): Promise<StreamedCompletion> {
  const read: StreamedCompletion = { text: "", refusal: "", finishReason: null, usage: null, broken: null }
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === "[DONE]") return
      const parsed = Chunk.safeParse(JSON.parse(data))
      if (!parsed.success) throw new SyntaxError("An event of another shape")
      const { choices, usage, error } = parsed.data
      const choice = choices?.[0]
      const piece = choice?.delta?.content ?? ""
      read.refusal += choice?.delta?.refusal ?? ""
      read.usage = usage ?? read.usage
      read.finishReason = choice?.finish_reason ?? (error ? "error" : read.finishReason)
      if (piece === "") return
      if (read.text === "") begin()
      read.text += piece
      onText(piece)
    },
  })
  const decoder = new TextDecoder()
  try {
    for await (const part of parts) parser.feed(decoder.decode(part, { stream: true }))
  } catch (error) {
    if (read.text === "") throw error
    read.broken = error
  }
  return read
}
