import { MARK, nobodys } from "./marks.ts"
import { OWNER } from "./open-world.ts"

/** A value that names something of the other tenant's, and the same for what nobody has. */
export interface Said {
  readonly value: unknown
  /** Absent: the answer follows from the words themselves, so that it is only looked through for what is foreign. */
  readonly twin?: unknown
}

/** A document of the other tenant's, with what goes with it. */
export interface Subject {
  readonly document: string
  readonly twinDocument: string
  readonly chunk: Said
  readonly page: Said
  readonly table: Said
  /** Whether two optional parameters at a time are said of it; each alone is said of all. */
  readonly isPaired: boolean
}

const both = (value: unknown): Said => ({ value, twin: value })
const marked = (value: string): Said => ({ value, twin: nobodys(value) })

function subject(document: string, chunk: string, page: string, table: string): Subject {
  return {
    document,
    twinDocument: nobodys(document),
    chunk: both(chunk),
    page: both(page),
    table: both(table),
    isPaired: document.endsWith("pdf"),
  }
}

/** One of each kind of document, and those whose id both tenants have: there the number is the other's alone. */
export const SUBJECTS: readonly Subject[] = [
  subject(`${MARK}doc-one`, "c0003", "1", "1"),
  subject(`${MARK}doc-pdf`, "c0001", "1", "1"),
  subject(`${MARK}doc-failed`, "c0001", "1", "1"),
  subject("andorinha-inquiry-1934", "c0001", "1", "1"),
  ...["same", "samepdf"].map((document) => ({
    document,
    twinDocument: document,
    chunk: document === "same" ? { value: "c0003", twin: "c0777" } : { value: "c0007", twin: "c0777" },
    page: { value: "2", twin: "77" },
    table: { value: "2", twin: "77" },
    isPaired: document.endsWith("pdf"),
  })),
]

/** Other ways to write an id in a path, each of the id as it is. */
export const WAYS: readonly ((id: string) => string)[] = [
  (id) => encodeURIComponent(encodeURIComponent(id)),
  (id) => [...Buffer.from(id)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  (id) => [...Buffer.from(id)].map((byte) => `%25${byte.toString(16).padStart(2, "0")}`).join(""),
  (id) => `${id}.`,
  (id) => `${id}%2F`,
  (id) => `${id}%252F..%252F${id}`,
  (id) => `.%2F${id}`,
  (id) => `x%2F..%2F${id}`,
  (id) => `${OWNER}%2F${id}`,
  (id) => `..%2F${OWNER}%2F${id}`,
  (id) => `${id}%00`,
  (id) => `${id}%20`,
  (id) => id.toUpperCase(),
  (id) => encodeURIComponent(`${id}é`.normalize("NFC")),
  (id) => encodeURIComponent(`${id}é`.normalize("NFD")),
  (id) => `%EF%BB%BF${id}`,
  (id) => `${id};v=1`,
  (id) => `${id}'%20or%20'1'='1`,
]

const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** What may be said under a name in a query, a body or the arguments of a tool, whichever route or tool it is of. */
const SAID: Readonly<Record<string, readonly Said[]>> = {
  source_account_id: [
    marked(OWNER),
    { value: OWNER.toUpperCase(), twin: nobodys(OWNER.toUpperCase()) },
    both("*"),
    both(""),
  ],
  query: [both("secret of the harbour"), { value: `${MARK}secret` }, { value: `"${MARK}name" harbour` }],
  q: [marked(`${MARK}name`), marked(MARK)],
  question: [both("Who wrote the secret of the harbour?"), { value: `What is the ${MARK}secret?` }],
  messages: [both([{ role: "user", content: "Who wrote the secret of the harbour?" }])],
  history: [both([{ role: "user", content: "What of the harbour?" }])],
  filter: [
    both({}),
    { value: { [`${MARK}key`]: `${MARK}value` }, twin: { nilqkey: "nilqvalue" } },
    { value: { source_account_id: OWNER }, twin: { source_account_id: nobodys(OWNER) } },
    { value: { $document_id: { starts_with: MARK } }, twin: { $document_id: { starts_with: nobodys(MARK) } } },
    { value: { document_id: `${MARK}doc-one` }, twin: { document_id: nobodys(`${MARK}doc-one`) } },
    { value: { has_anomalies: true }, twin: { has_anomalies: true } },
  ],
  action: [both("click")],
  kind: [marked(`${MARK}kind`), both("person")],
  strategy: ["rrf", "weighted", "semantic", "lexical", "two_pass"].map(both),
  group_by: [both("chunk")],
  explain: [both(true)],
  highlight: [both(true)],
  mmr: [both(true)],
  rerank: [both(true)],
  expand_parents: [both(true)],
  embedding: [both(Array.from({ length: 384 }, (_, at) => Math.sin(at)))],
  embedding_model: [marked(`${MARK}model`)],
  language: [both("en")],
  top_k: [both(20)],
  alpha: [both(0.5)],
  rrf_k: [both(60)],
  lambda: [both(0.5)],
  max_retries: [both(1)],
  max_calls: [both(2)],
  retrieval: [both("always")],
  limit: [both("1")],
  v: [both("1")],
  bbox: [both("0,0,1,1")],
  width: [both("200")],
  format: [both("png")],
  detail: [both("1")],
  from: [both(dayBefore(7))],
  to: [both(dayBefore(0))],
  inputs: [{ value: [`${MARK}secret`] }],
  normalize: [both(true)],
  truncate: [both(true)],
  prompt_name: [both("query")],
  texts: [both(["harbour"])],
  raw_scores: [both(true)],
  return_text: [both(true)],
  input: [{ value: `${MARK}secret` }],
  model: [marked(`${MARK}model`)],
  encoding_format: [both("float")],
  dimensions: [both(384)],
  input_type: [both("query")],
  user: [marked(OWNER)],
  title: [marked(`${MARK}title`)],
  content: [both("What the intruder writes about the harbour.")],
  source_uri: [marked(`s3://${MARK}/pages/${OWNER}/x`)],
  metadata: [both({ note: "mine" })],
  chunks: [both([{ content: "What the intruder writes." }])],
  parents: [both([{ content: "What the intruder writes above." }])],
  flat: [both(true)],
  file_name: [marked(`${MARK}file.pdf`)],
  content_type: [both("application/pdf")],
}

/** Names that stand for a part of a document. */
const PARTS: Readonly<Record<string, (subject: Subject) => Said>> = {
  id: ({ document, twinDocument }) => ({ value: document, twin: twinDocument }),
  document: ({ document, twinDocument }) => ({ value: document, twin: twinDocument }),
  document_id: ({ document, twinDocument }) => ({ value: document, twin: twinDocument }),
  doc: ({ document, twinDocument }) => ({ value: document, twin: twinDocument }),
  prefix: ({ document, twinDocument }) => ({ value: document, twin: twinDocument }),
  chunk: ({ chunk }) => chunk,
  chunk_id: ({ chunk }) => chunk,
  page: ({ page }) => page,
  table: ({ table }) => table,
  citation: (subject) => ({
    value: `[[${subject.document}/p00${subject.page.value}#${subject.chunk.value}]]`,
    twin: `[[${subject.twinDocument}/p00${subject.page.twin}#${subject.chunk.twin}]]`,
  }),
}

/**
 * What is said under `name`. Throws for a name that nobody has thought of: whoever adds a parameter says here what of
 * another tenant's it could name.
 */
export function saidUnder(name: string, subject: Subject): readonly Said[] {
  const part = PARTS[name]
  if (part) return [part(subject)]
  const said = Object.hasOwn(SAID, name) ? SAID[name] : undefined
  if (!said) throw new Error(`say how it is asked: "${name}" has no value in tests/leaks/said.ts`)
  return said
}
