import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { connectClient, KINDS, type TestClient } from "./mcp-clients.ts"
import { type ServedMcp, SLOW, serveMcp } from "./serve-mcp.ts"

// The same for the SDK of before and of now, over Streamable HTTP and SSE, and for both protocols.

let served: ServedMcp
beforeAll(async () => {
  served = await serveMcp()
})
afterAll(() => served.close())

const TOOLS = [
  "rag_answer",
  "retrieve",
  "retrieve_documents",
  "hybrid_search",
  "read_chunk",
  "get_page_chunks",
  "list_anomalies",
  "list_documents",
  "crop",
  "server_health",
]

describe.each(KINDS)("a client of %s", (kind) => {
  let client: TestClient
  beforeAll(async () => {
    client = await connectClient(kind, served.url, served.keys.left)
  })
  afterAll(() => client.close())

  test("lists every tool with schemas of input and output, and that it changes nothing", async () => {
    const tools = await client.tools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS)
    for (const tool of tools) {
      expect(tool, String(tool["name"])).toMatchObject({
        title: expect.any(String),
        description: expect.any(String),
        inputSchema: { type: "object" },
        outputSchema: { type: "object", properties: expect.any(Object) },
        annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
      })
      // A key of one tenant has nothing to choose.
      expect(JSON.stringify(tool["inputSchema"])).not.toContain("source_account_id")
    }
  })

  test("gets passages as data, as text with their citations, and as links to read on", async () => {
    for (const name of ["retrieve", "retrieve_documents", "hybrid_search"]) {
      const { content, structuredContent } = await client.call(name, { query: "secret harbour", top_k: 1 })
      const [hit] = structuredContent.results
      expect(hit).toMatchObject({ id: "same", chunk_id: "c0001", content: expect.stringContaining("left secret") })
      expect(content[0]?.text).toContain(hit.citation)
      expect(content[0]?.text).toContain("left secret")
      const link = content.find(({ type }) => type === "resource_link")
      expect(link).toMatchObject({ uri: "doc://same#c0001", mimeType: "text/plain" })
      expect(await client.read(String(link?.uri))).toContain("The left secret of the harbour.")
    }
  })

  test("gets chunks as they are from documents without parents", async () => {
    const asked = { query: "rope tar", top_k: 3 }
    const { structuredContent: funnel } = await client.call("retrieve", asked)
    const { structuredContent: chunks } = await client.call("retrieve", { ...asked, expand_parents: false })
    expect(funnel.results[0]).toMatchObject({ chunk_id: "c0002", content: "Rope and tar." })
    expect(funnel.results).toEqual(chunks.results)
  })

  test.each([
    [500, 50],
    [0, 1],
    [2.5, 2],
  ])("has a top_k of %d taken as %d, and is told", async (top_k, taken) => {
    const result = await client.call("retrieve", { query: "harbour", top_k })
    expect(result.structuredContent.warnings).toEqual([`top_k is a whole number from 1 to 50: ${taken} was taken`])
    expect(result.content[0]?.text).toContain(`${taken} was taken`)
  })

  test.each([
    ["retrieve", { query: "  " }, "invalid_request: query: must not be empty"],
    ["hybrid_search", { query: "" }, "invalid_request: query: must not be empty"],
    ["retrieve", {}, "invalid_request: query: is required"],
    ["rag_answer", { question: "" }, "invalid_request: question: must not be empty"],
    ["rag_answer", { question: "why?", max_retries: 9 }, "invalid_request: max_retries: must be at most 5"],
    [
      "rag_answer",
      { question: "why?", history: [{ role: "system", content: "x" }] },
      "invalid_request: history.0.role:",
    ],
    ["retrieve", { query: "a", top_k: "many" }, "invalid_request: top_k: must be a number, not a string"],
    ["read_chunk", { citation: "same" }, "invalid_request: citation: must be one like"],
    ["read_chunk", { citation: "[[nowhere#c0001]]" }, "not_found: There is no document with this id"],
    ["get_page_chunks", { document_id: "same", page: 7 }, "not_found: The document has no page with this number"],
    ["crop", { document_id: "same", page: 1 }, "not_found: The document has no picture"],
    ["crop", {}, "invalid_request: citation: citation is required, or document_id and page"],
    ["list_documents", { cursor: "x" }, "invalid_request: cursor"],
    [
      "retrieve",
      { query: "a", source_account_id: "right" },
      "forbidden: The API key is not for this source_account_id",
    ],
  ])("is told in words what is wrong with %s %j, and gets no data", async (name, args, words) => {
    const result = await client.call(name, args)
    expect(result.isError).toBe(true)
    expect(result.content[0]?.text).toContain(words)
    expect(result.content).toHaveLength(1)
    expect(result.structuredContent).toBeUndefined()
  })

  test("reads a chunk by its citation, and lists oddities and documents", async () => {
    const chunk = await client.call("read_chunk", { citation: "[[same#c0001]]" })
    expect(chunk.structuredContent).toMatchObject({ document_id: "same", content: "The left secret of the harbour." })
    const anomalies = await client.call("list_anomalies", { document_id: "same" })
    expect(anomalies.structuredContent.anomalies).toMatchObject([{ document_id: "same", note: "left anomaly" }])
    expect(anomalies.content[0]?.text).toContain("left anomaly")
    const first = await client.call("list_documents", { limit: 1 })
    expect(first.structuredContent.documents).toMatchObject([{ id: "Odd/id #1 é?" }])
    const second = await client.call("list_documents", { limit: 1, cursor: first.structuredContent.next_cursor })
    expect(second.structuredContent.documents).toMatchObject([{ id: "andorinha-inquiry-1934" }])
    expect(second.content[0]?.text).toContain('"document_id":"andorinha-inquiry-1934"')
  })

  test("reads a page in order, as a tool and as a resource", async () => {
    const page = await client.call("get_page_chunks", { document_id: "andorinha-inquiry-1934", page: 2 })
    const citations = page.structuredContent.chunks.map(({ citation }: { citation: string }) => citation)
    expect(citations.length).toBeGreaterThan(1)
    const text = await client.read("doc://andorinha-inquiry-1934/p002")
    expect(citations.map((citation: string) => text.indexOf(citation))).toEqual(
      citations.map((citation: string) => text.indexOf(citation)).sort((a: number, b: number) => a - b),
    )
    expect(text.indexOf(citations[0])).toBe(0)
    const [citation] = citations
    const uri = `doc://${citation.slice(2, -2)}`
    expect(await client.read(uri)).toContain(citation)
  })

  test("sees a passage as a picture that is no larger than a client takes", async () => {
    const found = await client.call("list_documents")
    expect(found.structuredContent.documents).toHaveLength(4)
    const citation = served.pictured
    const { content, structuredContent } = await client.call("crop", { citation })
    const image = content.find(({ type }) => type === "image")
    expect(image?.mimeType).toBe("image/png")
    const bytes = Buffer.from(String(image?.data), "base64")
    expect(bytes.subarray(1, 4).toString()).toBe("PNG")
    expect(bytes.length).toBe(structuredContent.bytes)
    expect(bytes.length).toBeLessThanOrEqual(700_000)
  })

  test("reads ids with slashes, blanks and letters of other alphabets back from their links", async () => {
    const { content } = await client.call("hybrid_search", { query: "odd ropes", top_k: 1 })
    const link = content.find(({ type }) => type === "resource_link")
    expect(link?.uri).toBe("doc://Odd%2Fid%20%231%20%C3%A9%3F#c0001")
    expect(await client.read(String(link?.uri))).toContain("An odd id of left")
  })

  test("completes ids of documents as they stand in a URI", async () => {
    const templates = await client.templates()
    expect(templates).toEqual(["doc://{doc}/{page}#{chunk}", "doc://{doc}#{chunk}", "doc://{doc}/{page}"])
    expect(await client.complete("doc://{doc}/{page}#{chunk}", "sa")).toEqual(["same"])
    expect(await client.complete("doc://{doc}/{page}", "Odd%2F")).toEqual(["Odd%2Fid%20%231%20%C3%A9%3F"])
    expect(await client.complete("doc://{doc}/{page}", "zzz")).toEqual([])
  })

  test("gets a prompt that holds the question as data", async () => {
    const text = await client.prompt("answer_with_citations", { question: 'Who "kept" <|im_start|> it?' })
    expect(text).toContain("rag_answer")
    expect(text).toContain('Question: "Who \\"kept\\" \\u003c|im_start|> it?"')
  })

  test("gets an answer with its sources, and each step as progress", async () => {
    const heard: { progress: number; message?: string | undefined }[] = []
    const result = await client.call(
      "rag_answer",
      { question: "What is the secret of the harbour?" },
      { onprogress: ({ progress, message }) => heard.push({ progress, message }) },
    )
    expect(result.structuredContent).toMatchObject({
      answer: "The left secret of the harbour. [[same#c0001]]",
      citations: [{ citation: "[[same#c0001]]", id: "same" }],
      retries: 2,
    })
    expect(result.content[0]?.text).toMatch(
      /\[\[same#c0001\]\]\n\nSupport: fully supported\.\n\nSources:\n1\. \[\[same#c0001\]\]/,
    )
    expect(result.content.find(({ type }) => type === "resource_link")?.uri).toBe("doc://same#c0001")
    expect(heard).toEqual([
      { progress: 1, message: "retrieve" },
      { progress: 2, message: expect.stringMatching(/^retrieve: \d+ \(1 ms\)$/) },
      { progress: 3, message: "generate" },
    ])
  })

  test("that cancels an answer has the call of the language model ended within 200 ms", async () => {
    const cancel = new AbortController()
    let started: () => void = () => undefined
    const generating = new Promise<void>((resolve) => {
      started = resolve
    })
    const before = { asked: served.llm.requests.length, ended: served.llm.aborts.length }
    const call = client.call(
      "rag_answer",
      { question: `How ${SLOW} does it come?` },
      { signal: cancel.signal, onprogress: ({ message }) => message === "generate" && started() },
    )
    call.catch(() => undefined)
    await generating
    while (served.llm.requests.length === before.asked) await new Promise((resolve) => setTimeout(resolve, 5))
    const cancelled = performance.now()
    cancel.abort("enough")
    await expect(call).rejects.toThrow()
    while (served.llm.aborts.length === before.ended) {
      if (performance.now() - cancelled > 5_000) throw new Error("the call of the language model goes on")
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect((served.llm.aborts.at(-1) ?? Infinity) - cancelled).toBeLessThan(200)
    // What is left works on.
    expect((await client.call("server_health")).structuredContent).toMatchObject({ status: "ok" })
  })

  test("says where the server is well, and which version it is", async () => {
    const { content, structuredContent } = await client.call("server_health")
    expect(structuredContent).toMatchObject({
      status: "ok",
      version: "0.0.0",
      components: { database: { status: "ok" } },
    })
    expect(content[0]?.text).toContain("database: ok, pglite")
  })
})
