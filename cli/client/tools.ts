import type { CallToolResult, Tool } from "@modelcontextprotocol/client"
import type * as z from "zod"
import type { Turn } from "../../lib/answers/request.ts"
import { AnswerResponse } from "../../lib/answers/response.ts"
import { AppError } from "../../lib/errors.ts"
import { HealthReport } from "../../lib/health.ts"
import { SearchResponse } from "../../lib/search/response.ts"
import { printable } from "../terminal.ts"
import { type CallOptions, type Connection, withConnection } from "./connection.ts"
import type { Target } from "./target.ts"

/** What a tool gave, and the same as the server sent it. */
interface Data<T> {
  readonly data: T
  readonly sent: unknown
}

/** A picture of a passage. */
export interface Crop {
  readonly bytes: Uint8Array
  readonly mimeType: string
}

/** The server's tools as this client uses them. All throw `AppError`, in words for a person, and the signal's reason. */
export interface ServerTools {
  ask(
    question: string,
    options: CallOptions & { readonly history?: readonly Turn[]; readonly signal: AbortSignal },
  ): Promise<Data<AnswerResponse>>
  search(query: string, topK: number, signal: AbortSignal): Promise<SearchResponse>
  health(signal: AbortSignal): Promise<{ readonly report: HealthReport; readonly server: string }>
  crop(citation: string, signal: AbortSignal): Promise<Crop>
  list(signal: AbortSignal): Promise<readonly Tool[]>
}

export function createServerTools(target: Target): ServerTools {
  const tenant = target.tenant === undefined ? {} : { source_account_id: target.tenant }
  async function call(connection: Connection, name: string, args: object, options?: CallOptions) {
    const result = await connection.callTool(name, { ...args, ...tenant }, options).catch(async (error: unknown) => {
      throw (await missingTool(connection, name)) ?? error
    })
    if (result.isError) throw toolError(result)
    return result
  }
  return {
    ask: (question, { history = [], signal, onProgress }) =>
      withConnection(target, signal, async (connection) => {
        const args = { question, ...(history.length > 0 && { history }) }
        return dataOf(AnswerResponse, await call(connection, "rag_answer", args, { onProgress }))
      }),
    search: (query, topK, signal) =>
      withConnection(target, signal, async (connection) => {
        return dataOf(SearchResponse, await call(connection, "hybrid_search", { query, top_k: topK })).data
      }),
    health: (signal) =>
      withConnection(target, signal, async (connection) => {
        const { data: report } = dataOf(HealthReport, await call(connection, "server_health", {}))
        const { name, version } = connection.server
        return { report, server: printable(`${name} ${version}`) }
      }),
    crop: (citation, signal) =>
      withConnection(target, signal, async (connection) => {
        const { content } = await call(connection, "crop", { citation })
        for (const part of content) {
          if (part.type === "image") return { bytes: Buffer.from(part.data, "base64"), mimeType: part.mimeType }
        }
        throw new AppError("not_found", "The server sent no picture of this passage.")
      }),
    list: (signal) => withConnection(target, signal, (connection) => connection.listTools()),
  }
}

function dataOf<S extends z.ZodType>(schema: S, { structuredContent }: CallToolResult): Data<z.output<S>> {
  const parsed = schema.safeParse(structuredContent)
  if (parsed.success) return { data: parsed.data, sent: structuredContent }
  const message = "The server's answer isn't in a form that this client knows. Are both of the same version?"
  throw new AppError("internal", message, { cause: parsed.error })
}

/** A tool says `not_found: There is no …`, for a model to read; a person needs no code. */
function toolError({ content }: CallToolResult): AppError {
  const [first] = content
  const text = first?.type === "text" ? printable(first.text) : "it gave no reason"
  return new AppError("invalid_request", `The server says: ${text.replace(/^[a-z_]+: /, "")}`)
}

/** That the server has no such tool, if that is what went wrong; null else. */
async function missingTool(connection: Connection, name: string): Promise<AppError | null> {
  const tools = await connection.listTools().catch(() => null)
  if (!tools || tools.some((tool) => tool.name === name)) return null
  const has = tools.map((tool) => printable(tool.name)).join(", ")
  return new AppError("not_found", `This server has no tool ${name}: is it a Concordance? It has ${has || "none"}.`)
}
