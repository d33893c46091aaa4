import type { Deadline } from "../../deadline.ts"
import { AppError, type ErrorCode } from "../../errors.ts"
import { asData } from "../../llm/as-data.ts"
import type { ToolCall } from "../../llm/chat-model.ts"
import { readToolInput, type ShownResult, type Tool } from "../tools/tool.ts"

/** What came of a call, for the model and for us. */
export interface ToolOutcome extends ShownResult {
  readonly label: "found" | "nothing" | "refused" | "failed"
  /** Why the tool could not do its work, where that is not the model's fault. */
  readonly failure?: AppError
}

/** What the model can do something about. */
const MODELS_FAULT: ReadonlySet<ErrorCode> = new Set(["invalid_request", "not_found"])
/** What may pass, or be done without; the rest ends the chat. */
const PASSING: ReadonlySet<ErrorCode> = new Set(["database_unavailable", "inference_unavailable"])

/**
 * Runs one call for a tenant, whatever the model wrote: a tool that isn't there, malformed or wrong arguments and ids that
 * lead nowhere are told to the model, and so is a tool that failed. Throws `deadline_exceeded`, the signal's reason, and
 * what nobody expects.
 */
export async function runToolCall(
  tools: readonly Tool[],
  call: ToolCall,
  { tenant, deadline, bytesMax }: { readonly tenant: string; readonly deadline: Deadline; readonly bytesMax: number },
): Promise<ToolOutcome> {
  const tool = tools.find(({ name }) => name === call.name)
  if (!tool) return told("refused", `There is no such tool. The tools are: ${tools.map(({ name }) => name).join(", ")}`)
  if ("problem" in call.arguments) return told("refused", call.arguments.problem)
  try {
    const output = await tool.run(tenant, readToolInput(tool, call.arguments.value), deadline)
    const shown = showWithin(bytesMax, (charsMax) => tool.show(output, { tenant, charsMax }))
    return { ...shown, label: shown.passages.length > 0 ? "found" : "nothing" }
  } catch (error) {
    deadline.signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    if (MODELS_FAULT.has(error.code)) return told(error.code === "not_found" ? "nothing" : "refused", error.message)
    if (!PASSING.has(error.code)) throw error
    return { ...told("failed", "The tool failed; it may work again, or another may"), failure: error }
  }
}

/** Longest result of one call, UTF-16 units: five chunks of 1,000 characters, and what is said of them. */
const RESULT_CHARS_MAX = 6_000

/** What is not ASCII takes more bytes than it has characters: such a result is shown once more, shorter. */
function showWithin(bytesMax: number, show: (charsMax: number) => ShownResult): ShownResult {
  const charsMax = Math.min(RESULT_CHARS_MAX, bytesMax)
  const shown = show(charsMax)
  const bytes = Buffer.byteLength(shown.text)
  return bytes <= bytesMax ? shown : show(Math.floor((charsMax * bytesMax) / bytes))
}

/** A result that is a text for the model. */
function told(label: ToolOutcome["label"], error: string): ToolOutcome {
  return { label, text: asData({ error }), passages: [] }
}
