import type { Answer } from "../answers/answer.ts"
import { createGetPageChunks } from "../answers/tools/get-page-chunks.ts"
import { createHybridSearch } from "../answers/tools/hybrid-search.ts"
import { createListAnomalies } from "../answers/tools/list-anomalies.ts"
import { createReadChunk } from "../answers/tools/read-chunk.ts"
import type { Anomalies } from "../documents/anomalies.ts"
import type { DocumentPages } from "../documents/document-pages.ts"
import type { Documents } from "../documents/documents.ts"
import type { PagePictures } from "../documents/page-pictures.ts"
import type { Health } from "../health.ts"
import type { Retrieve } from "../search/retrieve.ts"
import { type McpTool, sharedTool } from "./mcp-tool.ts"
import { createCrop } from "./tools/crop.ts"
import { createListDocuments } from "./tools/list-documents.ts"
import { createRagAnswer } from "./tools/rag-answer.ts"
import { createRetrieveTool } from "./tools/retrieve.ts"
import { createServerHealth } from "./tools/server-health.ts"

export interface McpToolDeps {
  readonly answer: Answer
  readonly retrieve: Retrieve
  readonly documents: Documents
  readonly documentPages: DocumentPages
  readonly pagePictures: Pick<PagePictures, "part">
  readonly anomalies: Anomalies
  readonly health: Health
  readonly answerTimeoutMs: number
  /** Of every other call. */
  readonly searchTimeoutMs: number
  /** Of the service. */
  readonly version: string
}

/** Most passages of one call: an agent that wants more should ask more precisely. */
const TOP_K_MAX = 50

/** The tools of the server, in the order in which it lists them. */
export function createMcpTools(deps: McpToolDeps): readonly McpTool[] {
  const { retrieve, documents, documentPages, pagePictures, anomalies, health, version } = deps
  const timeoutMs = deps.searchTimeoutMs
  const reading = { scope: "search", timeoutMs } as const
  const searching = { ...reading, topKMax: TOP_K_MAX }
  const retrieving = (name: "retrieve" | "retrieve_documents", title: string) =>
    sharedTool(createRetrieveTool(retrieve, { name, topKMax: TOP_K_MAX }), { title, ...searching })
  return [
    createRagAnswer(deps.answer, { timeoutMs: deps.answerTimeoutMs }),
    retrieving("retrieve", "Retrieve passages"),
    retrieving("retrieve_documents", "Retrieve passages (other name)"),
    sharedTool(createHybridSearch({ retrieve, topKMax: TOP_K_MAX }), { title: "Search", ...searching }),
    sharedTool(createReadChunk(documentPages), { title: "Read a passage", ...reading }),
    sharedTool(createGetPageChunks(documentPages), { title: "Read a page", ...reading }),
    sharedTool(createListAnomalies(anomalies), { title: "List oddities", ...reading }),
    createListDocuments(documents, { timeoutMs }),
    createCrop({ pages: documentPages, pictures: pagePictures }, { timeoutMs }),
    createServerHealth(health, { version, timeoutMs }),
  ]
}
