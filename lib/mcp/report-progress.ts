import type { ServerContext } from "@modelcontextprotocol/server"
import type { AnswerEvent, OnAnswerEvent } from "../answers/answer.ts"

/** Longest silence, ms: clients give a call up that says nothing for 60 s. */
const SILENCE_MS = 15_000

/** Progress of one call, for a client that asked for it. */
export interface ProgressReport {
  readonly onEvent: OnAnswerEvent
  /** Nothing is sent afterwards. */
  end(): void
}

/**
 * Steps of an answer as progress notifications: `grade_documents`, then `grade_documents: 3 of 4`. How many there will be
 * nobody knows, for the graph has loops; `progress` counts them. A silence is broken by the last message again.
 */
export function reportProgress({ mcpReq }: ServerContext): ProgressReport {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return { onEvent: () => undefined, end: () => undefined }
  let progress = 0
  let last = "started"
  let isOver = false
  const send = () => {
    if (isOver) return
    progress++
    const params = { progressToken, progress, message: last }
    // A client who is gone hears nothing; the call itself is told by its signal.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined)
  }
  const silence = setInterval(send, SILENCE_MS)
  silence.unref()
  return {
    onEvent(event) {
      const message = messageOf(event)
      if (message === null) return
      last = message
      silence.refresh()
      send()
    },
    end() {
      isOver = true
      clearInterval(silence)
    },
  }
}

function messageOf(event: AnswerEvent): string | null {
  if (event.type !== "step") return null
  if (event.status === "started") return event.node
  const { label, ms } = event.step
  return `${event.node}: ${label ?? "done"} (${Math.round(ms)} ms)`
}
