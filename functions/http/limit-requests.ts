import { createTestApp } from "./test-app.ts"

const FILE_BYTES_MAX = 1_000_000
/** The routes, over functions that find nothing. */
export const app = createTestApp({ documentBytesMax: FILE_BYTES_MAX })

/** A limit, and what is sent at it and one beyond. */
interface Limit {
  readonly row: string
  readonly what: string
  readonly max: number
  /** How the table writes it. */
  readonly written: string
  readonly field?: string
  /** How the refusal says it; `max` where it is absent. */
  readonly said?: RegExp
  send(size: number): Promise<Response> | Response
}

const x = (size: number) => "x".repeat(size)
const list = <Item>(size: number, item: (index: number) => Item) => Array.from({ length: size }, (_, i) => item(i))
const padded = (json: string, size: number) => json.padEnd(size)

const body = (row: string, written: string, max: number, sent: Readonly<Record<string, string>>): Limit[] =>
  Object.entries(sent).map(([path, json]) => ({
    ...{ row, written, max, what: path, field: "body" },
    send: (size) => app.post(path, padded(json, size)),
  }))

const posted = (row: string, path: string, field: string, max: number, json: (size: number) => object): Limit => ({
  ...{ row, field, max, what: `${path} ${field}`, written: max.toLocaleString("en") },
  send: (size) => app.post(path, json(size)),
})

const got = (row: string, field: string, max: number, path: string): Limit => ({
  ...{ row, field, max, what: path, written: max.toLocaleString("en") },
  send: (size) => app.send("GET", `${path}${path.includes("?") ? "&" : "?"}${field}=${size}`),
})

const FORM = "form of `POST /documents`"

function form(what: string, written: string, max: number, field: string, parts: (size: number) => string[]): Limit {
  return {
    ...{ row: FORM, what, written, max, field },
    send: (size) =>
      app.post("/documents", `${parts(size).join("")}--b--`, { "content-type": "multipart/form-data; boundary=b" }),
  }
}

const part = (name: string, text: string, head = "") =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${head}\r\n\r\n${text}\r\n`
const file = (text: string) => part("file", text, '; filename="a.txt"')
/** What a head of one part holds beside its padding. */
const HEAD = '\r\nContent-Disposition: form-data; name="a"; a=""'.length
const nested = (depth: number) => `{"query":"a","b":${'{"a":'.repeat(depth - 1)}1${"}".repeat(depth - 1)}}`

/** Every limit of the table that one request can break. */
export const LIMITS: readonly Limit[] = [
  ...body("body of `/search`, `/answer`, `/chat`", "2 MB", 2_000_000, {
    "/search": '{"query":"a"}',
    "/answer": '{"question":"a"}',
    "/chat": '{"messages":[{"role":"user","content":"a"}]}',
  }),
  ...body("body of `/index`, a line of `/index/batch`, `/embed`, `/rerank`, `/v1/embeddings`", "10 MB", 10_000_000, {
    "/index": '{"id":"a","content":"a"}',
    "/embed": '{"inputs":"a"}',
    "/rerank": '{"query":"a","texts":["a"]}',
    "/v1/embeddings": '{"input":"a"}',
  }),
  ...body("body of `/feedback`", "100 kB", 100_000, {
    "/feedback": '{"query":"a","document_id":"a","action":"click"}',
  }),
  ...body("body of `/mcp`, `/messages`", "1 MB", 1_000_000, { "/mcp": "{}", "/messages": "{}" }),
  {
    ...{ row: "JSON", what: "/search", written: "64 deep", max: 64, field: "body" },
    send: (size) => app.post("/search", nested(size)),
  },
  form("parts", "32 parts", 32, "body", (size) => [...list(size - 1, (i) => part(`a${i}`, "")), file("a")]),
  form("head", "8 KB", 8_192, "body", (size) => [part("a", "", `; a="${x(size - HEAD)}"`), file("a")]),
  form("field", "300 kB", 300_000, "title", (size) => [part("title", x(size)), file("a")]),
  { ...form("files", "one file", 1, "file", (size) => list(size, () => file("a"))), said: /\bonce\b/ },
  {
    ...{
      row: "file",
      what: "bytes",
      written: "DOCUMENT_BYTES_MAX",
      max: FILE_BYTES_MAX,
      said: /\b1 MB \(DOCUMENT_BYTES_MAX\)/,
    },
    send: (size) =>
      app.post("/documents", `${file(x(size))}--b--`, { "content-type": "multipart/form-data; boundary=b" }),
  },
  posted("question", "/search", "query", 8_000, (size) => ({ query: x(size) })),
  posted("question", "/answer", "question", 8_000, (size) => ({ question: x(size) })),
  posted("vector", "/search", "embedding", 4_000, (size) => ({ embedding: list(size, () => 1) })),
  posted("vector", "/index", "embedding", 4_000, (size) => ({
    ...{ id: "a", content: "a" },
    embedding: list(size, () => 1),
  })),
  posted("hits of a page, entries of a list", "/search", "top_k", 200, (size) => ({ query: "a", top_k: size })),
  posted("hits of a page, entries of a list", "/answer", "top_k", 20, (size) => ({ question: "a", top_k: size })),
  ...["/documents", "/entities", "/anomalies"].map((path) =>
    got("hits of a page, entries of a list", "limit", 200, path),
  ),
  got("hits of a page, entries of a list", "limit", 1_000, "/documents/a/pages"),
  posted("filter", "/search", "filter", 32, (size) => ({
    query: "a",
    filter: Object.fromEntries(list(size, (i) => [`a${i}`, 1])),
  })),
  posted("filter", "/search", "filter.a.in", 200, (size) => ({
    query: "a",
    filter: { a: { in: list(size, (i) => i) } },
  })),
  {
    ...posted("filter", "/search", `filter.${x(92)}…`, 200, (size) => ({ query: "a", filter: { [x(size)]: 1 } })),
    what: "name",
  },
  posted("filter", "/search", "filter.a", 1_024, (size) => ({ query: "a", filter: { a: x(size) } })),
  posted("document", "/index", "content", 4_000_000, (size) => ({ id: "a", content: x(size) })),
  posted("document", "/index", "chunks", 5_000, (size) => ({ id: "a", chunks: list(size, () => ({ content: "a" })) })),
  posted("document", "/index", "chunks.0.content", 32_000, (size) => ({ id: "a", chunks: [{ content: x(size) }] })),
  posted("document", "/index", "metadata", 64_000, (size) => ({
    ...{ id: "a", content: "a" },
    metadata: { a: x(size - '{"a":""}'.length) },
  })),
  ...(
    [
      ["/embed", "inputs", {}],
      ["/rerank", "texts", { query: "a" }],
      ["/v1/embeddings", "input", {}],
    ] as const
  ).flatMap(([path, field, more]) => [
    posted("texts of `/embed`, `/rerank`, `/v1/embeddings`", path, field, 256, (size) => ({
      ...more,
      [field]: list(size, () => "a"),
    })),
    posted("texts of `/embed`, `/rerank`, `/v1/embeddings`", path, `${field}.0`, 100_000, (size) => ({
      ...more,
      [field]: [x(size)],
    })),
  ]),
  ...["/chat", "/answer"].flatMap((path) => [
    posted("messages of `/chat` and `/answer`", path, "messages", 50, (size) => ({
      messages: list(size, (i) => ({ role: (size - i) % 2 ? "user" : "assistant", content: "a" })),
    })),
    posted("messages of `/chat` and `/answer`", path, "messages.0.content", 8_000, (size) => ({
      messages: [{ role: "user", content: x(size) }],
    })),
  ]),
  got("width of a picture", "width", 2_000, "/crop/a/1?bbox=0,0,1,1"),
]
