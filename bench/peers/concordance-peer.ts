import { configFromEnvironment } from "../../functions/environment.ts"
import { MIGRATIONS_FOLDER, migrate } from "../../lib/database/migrate.ts"
import { openDatabase } from "../../lib/database/open-database.ts"
import { buildVectorIndex } from "../../lib/database/vector-index.ts"
import { deadlineIn } from "../../lib/deadline.ts"
import { createIndexDocuments } from "../../lib/documents/index-documents.ts"
import { IndexRequest } from "../../lib/documents/index-request.ts"
import { openInference } from "../../lib/inference/open-inference.ts"
import { databaseCandidates } from "../../lib/search/database-candidates.ts"
import { SearchRequest } from "../../lib/search/request.ts"
import { createSearch } from "../../lib/search/search.ts"
import { diskOf, folderBytes } from "./disk.ts"
import { EXACT_ROWS_MAX, type OpenedPeer, type Peer, type Place, type Row } from "./peer.ts"

const TENANT = "peers"
const MODEL = "peers"
const DEADLINE_MS = 600_000
const WAYS = ["weighted", "rrf", "weighted+rerank"]

/** The product, its database in the process. */
export const concordanceOnPglite: Peer = { ways: WAYS, kind: "embedded", open: (place) => open(place, undefined) }

/** The product on PostgreSQL. */
export const concordanceOnPostgres: Peer = {
  ways: WAYS,
  kind: "server",
  onPostgres: true,
  open: (place) => open(place, place.url),
}

async function open({ folder }: Place, url: string | undefined): Promise<OpenedPeer> {
  const config = configFromEnvironment()
  const { database, owner } = await openDatabase({ url, home: folder })
  await migrate(owner, MIGRATIONS_FOLDER)
  // For the reranker alone: passages and questions come with their vectors.
  const { reranker, close } = await openInference({ ...config, home: config.concordanceHome })
  const settings = { ...config, rerankTimeoutMs: DEADLINE_MS, embedTimeoutMs: DEADLINE_MS }
  const search = createSearch({
    find: databaseCandidates(database),
    embedder: null,
    reranker,
    detector: null,
    settings,
  })
  const indexDocuments = createIndexDocuments({ database, embedder: null })
  let indexed = 0
  return {
    async index(rows) {
      const outcomes = await indexDocuments(TENANT, documentsOf(rows), deadlineIn(DEADLINE_MS))
      for (const outcome of outcomes) if ("failed" in outcome) throw outcome.failed
      indexed += rows.length
    },
    async ready() {
      if (indexed > EXACT_ROWS_MAX) await buildVectorIndex(owner, TENANT, MODEL)
      await owner.session((session) => session.query("vacuum analyze"))
    },
    async search({ text, vector }, way, depth) {
      const [strategy, rerank] = way.split("+")
      const asked = { query: text, embedding: [...vector], embedding_model: MODEL, strategy, top_k: depth }
      const request = SearchRequest.parse({ ...asked, rerank: rerank !== undefined })
      const { response } = await search(TENANT, request, deadlineIn(DEADLINE_MS))
      return response.results.map(({ id }) => id)
    },
    diskBytes: () => (url === undefined ? folderBytes(folder) : diskOf(url)),
    async close() {
      await close()
      await database.close()
      await owner.close()
    },
  }
}

/** Passages of one document stand beside each other. */
function documentsOf(rows: readonly Row[]): IndexRequest[] {
  const documents = new Map<string, Row[]>()
  for (const row of rows) documents.set(row.document, [...(documents.get(row.document) ?? []), row])
  return [...documents].map(([id, passages]) =>
    IndexRequest.parse({
      id,
      title: passages[0]?.title ?? "",
      language: "en",
      embedding_model: MODEL,
      chunks: passages.map(({ text, vector }) => ({ content: text, embedding: [...vector] })),
    }),
  )
}
