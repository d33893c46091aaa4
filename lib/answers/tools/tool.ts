import type * as z from "zod"
import type { Deadline } from "../../deadline.ts"
import { invalidInput, wording } from "../../field-problems.ts"
import type { SearchHit } from "../../search/response.ts"

/** A result as a model reads it. */
export interface ShownResult {
  /** JSON in which no text of a document can leave its place (`asData`). */
  readonly text: string
  /** What may be cited from it; `content` is what was shown of each. */
  readonly passages: readonly SearchHit[]
  /** What the tool had to do without, and why. */
  readonly degraded?: readonly string[] | undefined
}

/** What a result is shown within. */
export interface ShowLimits {
  readonly tenant: string
  /** Longest text, UTF-16 units. */
  readonly charsMax: number
}

/**
 * What a language model may call, whoever runs it: an agent here, or a client of the MCP server. The tenant is never
 * part of the input.
 */
export interface Tool<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  /** Letters and `_`. */
  readonly name: string
  /** For the model. */
  readonly description: string
  readonly input: Input
  /** Of the result as data. */
  readonly output: Output
  /**
   * Throws `not_found`, of another tenant's document too, and `invalid_request`, both with a text that helps a model on;
   * `deadline_exceeded`, `database_unavailable`, `inference_unavailable`, and the signal's reason.
   */
  run(tenant: string, input: z.output<Input>, deadline: Deadline): Promise<z.output<Output>>
  show(output: z.output<Output>, limits: ShowLimits): ShownResult
}

/**
 * A model's arguments as a tool's input. Fields that are null are left out first: models fill in what they don't use.
 * Throws `invalid_request` that names each field, and repeats nothing.
 */
export function readToolInput<Input extends z.ZodType>(
  tool: Pick<Tool<Input>, "input">,
  given: Readonly<Record<string, unknown>>,
): z.output<Input> {
  const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  const parsed = tool.input.safeParse(filled, { error: wording })
  if (!parsed.success) throw invalidInput(parsed.error.issues, "arguments")
  return parsed.data
}
