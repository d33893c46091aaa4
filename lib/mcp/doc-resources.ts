import { type McpServer, ProtocolError, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server"
import type { DocumentPages } from "../documents/document-pages.ts"
import type { Documents } from "../documents/documents.ts"
import type { ChunkDetails } from "../documents/page-details.ts"
import type { Principal } from "../keys/api-key.ts"
import { chooseTenant } from "../keys/choose-tenant.ts"
import { lacksScope } from "../keys/lacks-scope.ts"
import type { Log } from "../log.ts"
import { StorableText } from "../shapes.ts"
import { decodedAs, parseDocUri } from "./doc-uri.ts"
import { shownError } from "./tool-failure.ts"

/** Most ids that a completion offers, as the protocol has it. */
const COMPLETIONS_MAX = 100
/** JSON-RPC's code of a fault of the server's own. */
const INTERNAL_ERROR = -32_603
/** And of parameters that are wrong. */
const INVALID_PARAMS = -32_602

interface DocResources {
  readonly documents: Documents
  readonly documentPages: DocumentPages
  readonly log: Log
  /** Throws `rate_limited`. */
  readonly admit?: ((tenant: string) => Promise<void>) | undefined
}

/** The order counts: the first that fits is read, and `{page}` would take a fragment too. */
const TEMPLATES = [
  ["passage", "doc://{doc}/{page}#{chunk}", "A passage on its page, as citations name it: [[doc/p007#c0042]]"],
  ["passage-without-page", "doc://{doc}#{chunk}", "A passage of a document without pages: [[doc#c0042]]"],
  ["page", "doc://{doc}/{page}", "A page: its passages in reading order. Pages are p007 or 7"],
] as const

/** Passages and pages as resources; a key with the scope `search` sees its own tenant's. */
export function registerDocResources(server: McpServer, principal: Principal, deps: DocResources): void {
  const complete = { doc: (begun: string) => completeIds(begun, principal, deps) }
  for (const [name, template, description] of TEMPLATES) {
    server.registerResource(
      name,
      new ResourceTemplate(template, { list: undefined, complete }),
      { title: name.replaceAll("-", " "), description, mimeType: "text/plain" },
      async ({ href }) => ({
        contents: [{ uri: href, mimeType: "text/plain", text: await read(href, principal, deps) }],
      }),
    )
  }
}

function requireReader({ scopes }: Principal): void {
  if (!scopes.includes("search")) throw lacksScope("search")
}

async function read(uri: string, principal: Principal, deps: DocResources): Promise<string> {
  const address = parseDocUri(uri)
  if (!address) throw new ResourceNotFoundError(uri)
  const { documentId, page, chunkId } = address
  try {
    requireReader(principal)
    const tenant = chooseTenant(principal, address.tenant)
    await deps.admit?.(tenant)
    if (chunkId !== undefined) return passageText(await deps.documentPages.chunk(tenant, documentId, chunkId))
    const { chunks } = await deps.documentPages.get(tenant, documentId, page ?? 1)
    return chunks.map(passageText).join("\n\n")
  } catch (thrown) {
    throw protocolError(thrown, uri, deps.log)
  }
}

/** What the SDK puts into a JSON-RPC error: never a message that nobody wrote for callers. */
function protocolError(thrown: unknown, uri: string, log: Log): Error {
  const error = shownError(thrown)
  if (error.code === "not_found") return new ResourceNotFoundError(uri, error.message)
  if (error.code === "invalid_request" || error.code === "forbidden" || error.code === "rate_limited")
    return new ProtocolError(INVALID_PARAMS, error.message)
  log.error("MCP resource could not be read or completed", { code: error.code, error: thrown })
  return new ProtocolError(INTERNAL_ERROR, error.message)
}

function passageText({ citation, title, content }: ChunkDetails): string {
  return `${citation} ${title}\n${content}`
}

/** Ids that begin so, in order; they come percent-encoded, as they stand in a URI. */
async function completeIds(begun: string, principal: Principal, { documents, log }: DocResources): Promise<string[]> {
  const prefix = decodedAs(StorableText, begun)
  if (prefix === null) return []
  try {
    requireReader(principal)
    const found = await documents.idsFrom(chooseTenant(principal), prefix, COMPLETIONS_MAX)
    return found.map((id) => encodeURIComponent(id))
  } catch (thrown) {
    throw protocolError(thrown, begun, log)
  }
}
