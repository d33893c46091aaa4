import { setTimeout as sleep } from "node:timers/promises"
import type { Known } from "./arbitrary-request.ts"

/** Until the samples' PDFs are read, ms. */
const READING_MS = 120_000
/** Documents with pages are asked for this often, beside those without. */
const PAGED_WEIGHT = 8

interface Listed {
  readonly id: string
  readonly status: string
}

/** What there is to find, asked of the server: without it nearly every answer would be a 404. */
export async function knownValues(get: (path: string) => Promise<unknown>): Promise<Known> {
  const ids = await settledIds(get)
  const paged: string[] = []
  const chunks = new Set<string>()
  for (const id of ids) {
    const { pages } = (await get(`/documents/${encodeURIComponent(id)}/pages`)) as { pages?: unknown[] }
    if (pages?.length) paged.push(id)
    const found = (await get(`/documents/${encodeURIComponent(id)}/chunks?limit=2`)) as { chunks: { id: string }[] }
    for (const chunk of found.chunks) chunks.add(chunk.id)
  }
  if (paged.length === 0) throw new Error("None of the samples has pages")
  const { entities } = (await get("/entities")) as { entities: { id: string }[] }
  const { next_cursor } = (await get("/documents?limit=5")) as { next_cursor?: string }
  const written = ["fuzz-1", "fuzz-2", "fuzz-3", "fuzz/4", "fuzz 5"]
  const documents = [...ids, ...written, ...Array.from({ length: PAGED_WEIGHT }, () => paged).flat()]
  const shared = {
    ...{ document: documents, document_id: documents, chunk: [...chunks], chunk_id: [...chunks] },
    ...{ page: ["1", "2"], table: ["1.csv", "2.csv"], cursor: [next_cursor ?? "x"], width: ["200"], v: ["1", "2"] },
    ...{ from: ["2026-01-01", "2026-11-01"], to: ["2026-11-02", "2026-11-30"], kind: ["person"] },
    ...{ model: ["sentence-transformers/all-MiniLM-L6-v2"], language: ["en", "pt", "de-AT"] },
    ...{ query: ["harbour", "ice house", '"ice house" -salt'], question: ["Who built the ice house?"] },
    citation: documents.map((id) => `[[${id}#c0001]]`),
    ...{ bbox: ["0,0,1,1", "0.1,0.1,0.2,0.2"], source_account_id: ["primary"], limit: ["1", "3", "50"] },
    file: [
      "# Harbour\n\nA text of the harbour.",
      "<html><h1>Ice</h1><p>An ice house.</p></html>",
      "%PDF-1.7 nothing else",
    ],
    file_name: ["a.txt", "b.md", "c.html", "d.pdf"],
  }
  return {
    reading: { ...shared, id: [...documents, ...entities.flatMap(({ id }) => [id, id])] },
    writing: { ...shared, id: written },
  }
}

async function settledIds(get: (path: string) => Promise<unknown>): Promise<string[]> {
  const until = performance.now() + READING_MS
  for (;;) {
    const { documents } = (await get("/documents?limit=100")) as { documents: Listed[] }
    const open = documents.filter(({ status }) => status === "queued" || status === "processing")
    if (open.length === 0) return documents.map(({ id }) => id)
    if (performance.now() > until) throw new Error(`${open.length} samples are still being read`)
    await sleep(500)
  }
}
