import { createParser, type EventSourceMessage } from "eventsource-parser"
import type { Problem } from "../../functions/http/problem.ts"
import type { AnswerEvent } from "../../lib/answers/answer.ts"
import type { AnswerResponse } from "../../lib/answers/response.ts"
import { ApiFailure, failureFrom, isAborted, unreachable } from "../api/api-failure.ts"

/** What is heard of an answer: its events, and itself. */
export type HeardEvent = AnswerEvent | { readonly type: "done"; readonly answer: AnswerResponse }

/** Longest silence, ms: the server says something every 10 s. */
const SILENCE_MS = 45_000

/**
 * Reads an answer as it comes, or in one piece where something on the way made it JSON. Resolves once it is whole; throws
 * the `ApiFailure` that the stream tells of, that it broke off or fell silent, or the abort's `DOMException`.
 */
export async function readAnswer(
  response: Response,
  hear: (event: HeardEvent) => void,
  silenceMs = SILENCE_MS,
): Promise<void> {
  const type = response.headers.get("content-type") ?? ""
  if (!type.includes("text/event-stream") || !response.body) {
    const answer = await response.json().catch(brokenOff)
    return hear({ type: "done", answer: answer as AnswerResponse })
  }
  let isWhole = false
  const parser = createParser({
    onEvent: (message) => {
      const event = eventOf(message)
      if (event) hear(event)
      isWhole ||= event?.type === "done"
    },
  })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    while (!isWhole) {
      const { value, done } = await within(silenceMs, read(reader))
      if (done) return brokenOff()
      parser.feed(value)
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

async function read(reader: ReadableStreamDefaultReader<string>): Promise<ReadableStreamReadResult<string>> {
  try {
    return await reader.read()
  } catch (error) {
    throw isAborted(error) ? error : unreachable()
  }
}

/** Null of an event that this page doesn't know. Throws the failure that an `error` tells of. */
function eventOf({ event, data }: EventSourceMessage): HeardEvent | null {
  const body = parsed(data)
  switch (event) {
    case "error":
      throw failureFrom(body as Partial<Problem>)
    case "done":
      return { type: "done", answer: body as AnswerResponse }
    case "step":
    case "token":
    case "citation":
      return { type: event, ...body } as AnswerEvent
    default:
      return null
  }
}

function parsed(data: string): object {
  try {
    return JSON.parse(data) as object
  } catch {
    return brokenOff()
  }
}

function brokenOff(): never {
  throw new ApiFailure("internal", {
    title: "The answer broke off",
    detail: "The connection ended before the answer did. What was written so far was not checked.",
  })
}

/** What a read gives, or a failure once it has taken too long. */
async function within<T>(ms: number, read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const detail = "Nothing was heard of it for too long. What was written so far was not checked."
      reject(new ApiFailure("unreachable", { title: "The server fell silent", detail }))
    }, ms)
  })
  try {
    return await Promise.race([read, silence])
  } finally {
    clearTimeout(timer)
  }
}
