import type { CallToolResult, ContentBlock, ServerContext } from "@modelcontextprotocol/server"
import { readToolInput } from "../answers/tools/tool.ts"
import { deadlineIn } from "../deadline.ts"
import { invalidInput, wording } from "../field-problems.ts"
import type { Principal } from "../keys/api-key.ts"
import { chooseTenant } from "../keys/choose-tenant.ts"
import { lacksScope } from "../keys/lacks-scope.ts"
import type { Log } from "../log.ts"
import { TenantId } from "../shapes.ts"
import { clampTopK } from "./clamp-top-k.ts"
import { docUri } from "./doc-uri.ts"
import type { McpResult, McpTool, Source } from "./mcp-tool.ts"
import { reportProgress } from "./report-progress.ts"
import { toolFailure } from "./tool-failure.ts"

/** Most links of a result; its text names all passages. */
const LINKS_MAX = 50

interface CallParts {
  readonly tool: McpTool
  readonly principal: Principal
  /** Whether the client knows links among the content, which came with the protocol of 2025-06-18. */
  readonly knowsLinks: boolean
  readonly log: Log
  /** Throws `rate_limited`. */
  readonly admit?: ((tenant: string) => Promise<void>) | undefined
}

/**
 * One call: the key's scope and the arguments are checked, the tenant chosen, the tool run until its deadline or the
 * client's cancelling, and the result given as text, data and links. A failure is a result too; of what was cancelled nobody reads one.
 */
export async function callTool(parts: CallParts, given: unknown, context: ServerContext): Promise<CallToolResult> {
  const { tool, principal, log } = parts
  const { signal } = context.mcpReq
  const began = performance.now()
  const progress = reportProgress(context)
  let outcome = "ok"
  try {
    if (!principal.scopes.includes(tool.scope)) throw lacksScope(tool.scope)
    const { source_account_id: asked, ...rest } = objectOf(given)
    const tenant = chooseTenant(principal, tenantIn(asked))
    await parts.admit?.(tenant)
    const { args, warnings } = clampTopK(rest, tool.topKMax)
    const input = readToolInput(tool, args)
    const result = await tool.call(tenant, input as never, deadlineIn(tool.timeoutMs, signal), progress.onEvent)
    return shown(parts, result, warnings, foreignTenant(principal, tenant))
  } catch (error) {
    outcome = signal.aborted ? "cancelled" : "failed"
    return toolFailure(error, { tool: tool.name, log, isAbandoned: signal.aborted })
  } finally {
    progress.end()
    log.debug("MCP call", { key: principal.id, tool: tool.name, outcome, ms: Math.round(performance.now() - began) })
  }
}

const objectOf = (given: unknown) => (given ?? {}) as Readonly<Record<string, unknown>>

/** An empty one counts as absent, as it does over HTTP. */
function tenantIn(asked: unknown): string | undefined {
  if (asked === undefined || asked === null || asked === "") return undefined
  const parsed = TenantId.safeParse(asked, { error: wording })
  if (!parsed.success) throw invalidInput(parsed.error.issues, "source_account_id")
  return parsed.data
}

/** The tenant, where links have to name it: it isn't the one that the caller means when it names none. */
function foreignTenant(principal: Principal, tenant: string): string | undefined {
  const { tenants } = principal
  const isOnly = tenants.length === 1 && tenants[0] === tenant
  return isOnly || tenant === "primary" ? undefined : tenant
}

function shown(
  { tool, knowsLinks }: CallParts,
  result: McpResult,
  warnings: readonly string[],
  tenant: string | undefined,
): CallToolResult {
  const { data, text, degraded = [], sources = [], pictures = [] } = result
  const notes = [...degraded, ...warnings].map((note) => `Note: ${note}`)
  const known = "warnings" in data && Array.isArray(data.warnings) ? data.warnings : []
  const all = [...known, ...warnings]
  const links = knowsLinks ? sources.slice(0, LINKS_MAX).map((source) => linkTo(source, tenant)) : []
  const images = pictures.map(
    ({ bytes, mimeType }): ContentBlock => ({ type: "image", mimeType, data: Buffer.from(bytes).toString("base64") }),
  )
  return {
    content: [{ type: "text", text: [text, ...notes].join("\n\n") }, ...images, ...links],
    structuredContent: tool.output.parse({ ...data, ...(all.length > 0 && { warnings: all }) }),
  }
}

function linkTo({ id, title, page, chunk_id: chunkId }: Source, tenant: string | undefined): ContentBlock {
  const uri = docUri({ documentId: id, page, chunkId, tenant })
  const place = [page === undefined ? [] : [`page ${page}`], chunkId === undefined ? [] : [chunkId]].flat().join(", ")
  return { type: "resource_link", uri, name: uri, title: place ? `${title}, ${place}` : title, mimeType: "text/plain" }
}
