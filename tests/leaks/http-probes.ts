import { cursorsSaid } from "./foreign-cursors.ts"
import { MARK, nobodys } from "./marks.ts"
import { formOf, OWNER, pdfOf } from "./open-world.ts"
import type { OpenApiDocument, OpenApiOperation } from "./openapi-document.ts"
import type { Probe, WireRequest } from "./probe.ts"
import { type Said, SUBJECTS, type Subject, saidUnder, WAYS } from "./said.ts"

/** Headers in which other systems name a tenant, or a proxy somebody else's address. */
const HEADERS = [
  "source_account_id",
  "x-source-account-id",
  "x-hasura-source-account-id",
  "x-hasura-tenant-id",
  "x-tenant-id",
  "x-forwarded-user",
  "mcp-session-id",
  "cookie",
]

/** What is said of each parameter: those of the path, then a choice of the query's. */
type Words = readonly { readonly name: string; readonly said: Said }[]

interface Asking {
  readonly operation: OpenApiOperation
  readonly subject: Subject
  /** Writes an id in the path. */
  readonly way: (id: string) => string
}

/** The attempts at every operation of the contract, with `cursors` that the other tenant was given, by path. */
export async function httpProbes(
  document: OpenApiDocument,
  cursors: ReadonlyMap<string, string>,
): Promise<readonly Probe[]> {
  const pdfs = { foreign: await pdfOf(MARK, 2), nobodys: await pdfOf(nobodys(MARK), 2) }
  return document.operations.flatMap((operation) => [
    ...SUBJECTS.flatMap((subject) => plainProbes({ operation, subject, way: encodeURIComponent }, cursors)),
    ...SUBJECTS.slice(1, 2).flatMap((subject) =>
      WAYS.flatMap((way) => (operation.pathNames.length > 0 ? [probe({ operation, subject, way }, [])] : [])),
    ),
    ...bodyProbes(operation, cursors.get("/search")),
    ...(operation.bodyTypes.includes("multipart/form-data") ? [formProbe(operation, pdfs)] : []),
  ])
}

/** Without the query's parameters, with each, and with each two of them; then with each header. */
function plainProbes(asking: Asking, cursors: ReadonlyMap<string, string>): Probe[] {
  const { operation, subject } = asking
  const words = operation.queryNames.flatMap((name) => {
    const cursor = name === "cursor" ? cursors.get(operation.path) : undefined
    const all = name === "cursor" ? cursorsSaid(cursor) : saidUnder(name, subject)
    return all.map((said) => ({ name, said }))
  })
  const pairs = words.flatMap((one, at) =>
    words
      .slice(at + 1)
      .filter(({ name }) => name !== one.name)
      .map((two) => [one, two]),
  )
  const withQuery = [[], ...words.map((one) => [one]), ...(subject.isPaired ? pairs : [])].map((chosen) =>
    probe(asking, chosen),
  )
  // Which document is asked for doesn't matter there.
  const withHeader = (subject === SUBJECTS[0] ? HEADERS : []).map((header) => {
    const plain = probe(asking, [])
    const add = (request: WireRequest, value: string) => ({
      ...request,
      headers: { ...request.headers, [header]: value },
    })
    const twin = plain.twin && add(plain.twin, nobodys(OWNER))
    return {
      ...plain,
      label: `${plain.label} ${header}`,
      request: add(plain.request, OWNER),
      twin,
      sent: [...plain.sent, OWNER],
      twinSent: [...plain.twinSent, nobodys(OWNER)],
    }
  })
  return [...withQuery, ...withHeader]
}

function probe({ operation, subject, way }: Asking, query: Words): Probe {
  const inPath = operation.pathNames.map((name) => ({ name, said: pathSaid(operation, name, subject) }))
  const all = [...inPath, ...query]
  const inPathAs = (name: string, word: string, of: "value" | "twin") => {
    const written = name === "id" ? way(word) : encodeURIComponent(word)
    return of === "value" ? written : nobodys(written)
  }
  const build = (of: "value" | "twin"): WireRequest => {
    const path = inPath.reduce((text, { name, said }) => {
      const word = String(said[of])
      return text.replace(`{${name}}`, inPathAs(name, word, of))
    }, operation.path)
    const search = new URLSearchParams(Object.fromEntries(query.map(({ name, said }) => [name, inQuery(said[of])])))
    return { method: operation.method, path: query.length > 0 ? `${path}?${search}` : path, ...emptyBody(operation) }
  }
  const request = build("value")
  // A delete of an id that both have is the intruder's own.
  const isOwn = operation.method === "DELETE" && subject.document === subject.twinDocument
  const hasTwin = !isOwn && all.every(({ said }) => said.twin !== undefined)
  return {
    label: `${request.method} ${request.path}`,
    target: `${operation.method} ${operation.path}`,
    request,
    twin: hasTwin ? build("twin") : null,
    sent: all.flatMap(({ name, said }) => [inQuery(said.value), inPathAs(name, inQuery(said.value), "value")]),
    twinSent: all.flatMap(({ name, said }) => [inQuery(said.twin), inPathAs(name, inQuery(said.twin), "twin")]),
    writes: operation.writes,
  }
}

function inQuery(value: unknown): string {
  if (typeof value === "string") return value
  return typeof value === "boolean" ? "1" : (JSON.stringify(value) ?? "")
}

/** Of `/entities/{id}` it is an entity, and a table is a file. */
function pathSaid({ path }: OpenApiOperation, name: string, subject: Subject): Said {
  if (path.startsWith("/entities/{id}")) {
    return { value: `person:${MARK}name-keeper`, twin: nobodys(`person:${MARK}name-keeper`) }
  }
  const [said] = saidUnder(name, subject)
  if (!said) throw new Error(`say how it is asked: {${name}} of ${path}`)
  return name === "table" ? { value: `${said.value}.csv`, twin: `${said.twin}.csv` } : said
}

function emptyBody({ bodyTypes }: OpenApiOperation): Partial<WireRequest> {
  return bodyTypes.length > 0 ? { headers: { "content-type": "application/json" }, body: () => "{}" } : {}
}

/** Each property of a JSON body in each of its values, added to the least that the route takes. */
function bodyProbes(operation: OpenApiOperation, cursor: string | undefined): Probe[] {
  const [type] = operation.bodyTypes.filter((each) => each !== "multipart/form-data")
  if (type === undefined) return []
  return SUBJECTS.flatMap((subject) => {
    const said = (name: string) => (name === "cursor" ? cursorsSaid(cursor) : saidUnder(name, subject))
    const least = operation.leastProperties.map((name) => ({ name, said: said(name)[0] ?? { value: "" } }))
    const added = operation.bodyProperties.flatMap((name) => said(name).map((each) => ({ name, said: each })))
    // Only where a document is named does it matter which.
    if (!operation.bodyProperties.includes("id") && subject !== SUBJECTS[0]) return []
    return added.map((one) => bodyProbe(operation, type, [...least.filter(({ name }) => name !== one.name), one]))
  })
}

function bodyProbe(operation: OpenApiOperation, type: string, words: Words): Probe {
  const { method, path } = operation
  const written = (of: "value" | "twin") =>
    JSON.stringify(Object.fromEntries(words.map(({ name, said }) => [name, said[of]])))
  const build = (of: "value" | "twin"): WireRequest => {
    const body = written(of)
    return { method, path, headers: { "content-type": type }, body: () => body }
  }
  const request = build("value")
  return {
    label: `${method} ${path} ${written("value")}`,
    target: `${method} ${path}`,
    request,
    twin: words.every(({ said }) => said.twin !== undefined) ? build("twin") : null,
    sent: words.flatMap(({ said }) => [textOf(said.value), ...stringsIn(said.value)]),
    twinSent: words.flatMap(({ said }) => [textOf(said.twin ?? null), ...stringsIn(said.twin)]),
    writes: operation.writes,
  }
}

/** The other tenant's very file, under its very id: that it is there already is not to be told. */
function formProbe(operation: OpenApiOperation, pdfs: Record<"foreign" | "nobodys", Uint8Array>): Probe {
  const id = `${MARK}doc-pdf`
  const build = (document: string, bytes: Uint8Array): WireRequest => ({
    method: operation.method,
    path: operation.path,
    body: () => formOf(document, `${document}.pdf`, bytes),
  })
  return {
    label: `${operation.method} ${operation.path} with the other tenant's file`,
    target: `${operation.method} ${operation.path}`,
    request: build(id, pdfs.foreign),
    twin: build(nobodys(id), pdfs.nobodys),
    sent: [id],
    twinSent: [nobodys(id)],
    writes: operation.writes,
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [name, ...stringsIn(each)])
}
