import type { Served } from "../served.ts"
import { send } from "./answers.ts"
import { cursorsSaid } from "./foreign-cursors.ts"
import { nobodys } from "./marks.ts"
import { OWNER } from "./open-world.ts"
import type { Probe, WireRequest } from "./probe.ts"
import { type Said, SUBJECTS, type Subject, saidUnder, WAYS } from "./said.ts"

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>
  readonly required?: readonly string[]
}

/** What the MCP server lists. */
interface Listings {
  readonly tools: readonly { readonly name: string; readonly inputSchema: Schema }[]
  readonly resourceTemplates: readonly { readonly uriTemplate: string }[]
  readonly resources: readonly { readonly uri: string }[]
  readonly prompts: readonly { readonly name: string; readonly arguments?: readonly { readonly name: string }[] }[]
}

type Words = readonly { readonly name: string; readonly said: Said }[]

const ACCEPT = { accept: "application/json, text/event-stream", "content-type": "application/json" }

/** A message to the MCP server, as a request. */
export function mcpRequest(method: string, params: object = {}, headers: Record<string, string> = {}): WireRequest {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  return { method: "POST", path: "/mcp", headers: { ...ACCEPT, ...headers }, body: () => body }
}

/** The result in an answer of the MCP server, whether it came as an event or alone. */
function mcpResult<T = Record<string, unknown>>(body: string): T {
  const line = body.startsWith("{") ? body : (/^data: ?(\{.*)$/m.exec(body)?.[1] ?? "{}")
  return ((JSON.parse(line) as { result?: T }).result ?? {}) as T
}

/** Everything that the server lists for this key. */
async function listingsFor(served: Served, key: string): Promise<Listings> {
  const list = async (method: string) => mcpResult((await send(served, mcpRequest(method), key)).body)
  const methods = ["tools/list", "resources/templates/list", "resources/list", "prompts/list"]
  const all: Record<string, unknown> = {}
  for (const method of methods) Object.assign(all, await list(method))
  return all as unknown as Listings
}

/** Attempts at every tool, resource, template, completion and prompt that a key of several tenants is listed. */
export async function mcpProbes(served: Served, keys: Record<"owner" | "several", string>): Promise<readonly Probe[]> {
  const listings = await listingsFor(served, keys.several)
  const probes: Probe[] = []
  for (const tool of listings.tools) probes.push(...toolProbes(tool, await cursorOf(served, tool, keys.owner)))
  // As the owner, whose resources they would be.
  const { resources } = await listingsFor(served, keys.owner)
  for (const { uri } of resources)
    probes.push(mcpProbe(`read ${uri}`, "resources/read", (say) => ({ uri: say({ value: uri, twin: nobodys(uri) }) })))
  for (const { uriTemplate } of listings.resourceTemplates) probes.push(...templateProbes(uriTemplate))
  for (const prompt of listings.prompts) {
    const names = (prompt.arguments ?? []).map(({ name }) => name)
    probes.push(
      mcpProbe(`prompt ${prompt.name}`, "prompts/get", (say) => ({
        name: prompt.name,
        arguments: Object.fromEntries(names.map((name) => [name, say(firstSaid(name))])),
      })),
    )
  }
  return probes
}

function firstSaid(name: string): Said {
  const [subject] = SUBJECTS
  const [said] = subject ? saidUnder(name, subject) : []
  if (!said) throw new Error(`say how it is asked: "${name}" of a prompt`)
  return said
}

/** Where the owner's own list goes on, of a tool that has a cursor. */
async function cursorOf(served: Served, tool: Listings["tools"][number], key: string): Promise<string | undefined> {
  if (!tool.inputSchema.properties?.["cursor"]) return undefined
  const request = mcpRequest("tools/call", { name: tool.name, arguments: { limit: 1 } })
  const { structuredContent } = mcpResult<{ structuredContent?: { next_cursor?: string } }>(
    (await send(served, request, key)).body,
  )
  return structuredContent?.next_cursor
}

/** With the least arguments, with each further one, and with each two of them. */
function toolProbes({ name: tool, inputSchema }: Listings["tools"][number], cursor: string | undefined): Probe[] {
  const { properties = {}, required = [] } = inputSchema
  const names = Object.keys(properties)
  return SUBJECTS.flatMap((subject, at) => {
    // Only where a document is named does it matter which.
    if (at > 0 && !names.some((name) => ["document_id", "citation"].includes(name))) return []
    const saids = (name: string) =>
      (name === "cursor" ? cursorsSaid(cursor) : saidUnder(name, subject)).map((said) => ({
        name,
        said: typed(said, properties[name]?.type),
      }))
    const least = required.flatMap((name) => saids(name).slice(0, 1))
    const single = names.flatMap(saids).map((one) => [one])
    const optional = names.filter((name) => !required.includes(name)).flatMap(saids)
    const pairs = optional.flatMap((one, index) =>
      optional
        .slice(index + 1)
        .filter(({ name }) => name !== one.name)
        .map((two) => [one, two]),
    )
    return [[], ...single, ...(subject.isPaired ? pairs : [])].map((chosen) =>
      toolProbe(tool, [...least.filter(({ name }) => !chosen.some((one) => one.name === name)), ...chosen]),
    )
  })
}

function toolProbe(tool: string, words: Words): Probe {
  return mcpProbe(`tool ${tool}`, "tools/call", (say) => ({
    name: tool,
    arguments: Object.fromEntries(words.map(({ name, said }) => [name, say(said)])),
  }))
}

/** A query says all as text; a tool wants numbers and flags. */
function typed({ value, ...rest }: Said, type: string | undefined): Said {
  const as = (each: unknown) =>
    type === "integer" || type === "number" ? Number(each) : type === "boolean" ? true : each
  return { value: as(value), ...("twin" in rest && { twin: as(rest.twin) }) }
}

/** A resource in each way to write its id, alone and as the other tenant's by name, and the ids that begin as the other's do. */
function templateProbes(template: string): Probe[] {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
  const uri = (subject: Subject, way: (id: string) => string, tenant: string) => {
    const fill = (of: "value" | "twin") => {
      const filled = names.reduce((text, name) => {
        const word = String(saidUnder(name, subject)[0]?.[of])
        const written = name === "doc" ? way(word) : encodeURIComponent(word)
        return text.replace(`{${name}}`, of === "twin" ? nobodys(written) : written)
      }, template)
      const as = of === "twin" ? nobodys(tenant) : tenant
      return tenant === "" ? filled : filled.replace(/(?=#|$)/, `?source_account_id=${as}`)
    }
    return { value: fill("value"), twin: fill("twin") }
  }
  const plain = SUBJECTS.flatMap((subject) => ["", OWNER].map((tenant) => uri(subject, encodeURIComponent, tenant)))
  const encoded = SUBJECTS.slice(1, 2).flatMap((subject) => WAYS.map((way) => uri(subject, way, "")))
  const reads = [...plain, ...encoded].map((said) =>
    mcpProbe(`read ${said.value}`, "resources/read", (say) => ({ uri: say(said) })),
  )
  const begun = (name: string) =>
    SUBJECTS.flatMap(({ document }) => [document, document.slice(0, 4)]).map((text) =>
      mcpProbe(`complete ${template} ${name} ${text}`, "completion/complete", (say) => ({
        ref: { type: "ref/resource", uri: template },
        argument: { name, value: say({ value: text, twin: nobodys(text) }) },
      })),
    )
  return [...reads, ...names.flatMap(begun)]
}

/** `params` calls its argument for each value that names something. */
function mcpProbe(label: string, method: string, params: (say: (said: Said) => unknown) => object): Probe {
  const [sent, twinSent]: [string[], string[]] = [[], []]
  const foreign = params(({ value }) => {
    sent.push(...textsOf(value))
    return value
  })
  const nobodys = params(({ twin }) => {
    twinSent.push(...(twin === undefined ? [] : textsOf(twin)))
    return twin
  })
  return {
    label: `${label} ${JSON.stringify(foreign)}`,
    target: method === "tools/call" ? label : method,
    request: mcpRequest(method, foreign),
    twin: twinSent.length === sent.length ? mcpRequest(method, nobodys) : null,
    sent,
    twinSent,
    writes: false,
  }
}

function textsOf(value: unknown): string[] {
  return typeof value === "string" ? [value] : [JSON.stringify(value)]
}
