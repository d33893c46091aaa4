import type * as z from "zod"
import type { OnAnswerEvent } from "../answers/answer.ts"
import type { Tool } from "../answers/tools/tool.ts"
import type { Deadline } from "../deadline.ts"
import type { KeyScope } from "../keys/api-key.ts"

/** What a result is about, for a client to read further. */
export interface Source {
  readonly id: string
  readonly title: string
  readonly page?: number | undefined
  readonly chunk_id?: string | undefined
}

export interface Picture {
  readonly bytes: Uint8Array
  readonly mimeType: string
}

/** What a tool found. */
export interface McpResult {
  /** Of the tool's `output`. */
  readonly data: object
  /** The same for a model, which need not know the schema. */
  readonly text: string
  readonly sources?: readonly Source[]
  readonly pictures?: readonly Picture[]
  /** What the tool had to do without, and why. */
  readonly degraded?: readonly string[] | undefined
}

/** A tool as the MCP server has it. */
export interface McpTool {
  /** Letters and `_`. */
  readonly name: string
  /** For people. */
  readonly title: string
  /** For the model. */
  readonly description: string
  /** What the caller's key must allow. */
  readonly scope: KeyScope
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** Longest call, ms. */
  readonly timeoutMs: number
  /** Whether the same call gives the same result while the documents stay as they are. */
  readonly isRepeatable: boolean
  /** Most of its input `top_k`, where it has one: more is clamped, and the result says so. */
  readonly topKMax?: number
  /** `input` is of the tool's schema. Throws as `Tool.run` does. */
  call(tenant: string, input: never, deadline: Deadline, onEvent: OnAnswerEvent): Promise<McpResult>
}

/** What `McpTool` needs beside the tool that an agent here calls too. */
type Additions = Pick<McpTool, "title" | "scope" | "timeoutMs" | "topKMax">

/** Longest text of a result, UTF-16 units: some 10,000 tokens. */
const CHARS_MAX = 40_000

/** A tool of the agent here, as the server has it. */
export function sharedTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
  additions: Additions,
): McpTool {
  const { name, description, input, output } = tool
  return {
    ...{ name, description, input, output, isRepeatable: true },
    ...additions,
    async call(tenant, args, deadline) {
      const data = await tool.run(tenant, args, deadline)
      const { text, passages, degraded } = tool.show(data, { tenant, charsMax: CHARS_MAX })
      return { data, text, sources: passages, degraded }
    },
  }
}
