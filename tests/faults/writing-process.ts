import { openPglite } from "../../lib/database/pglite.ts"
import { deadlineIn } from "../../lib/deadline.ts"
import { createIndexDocuments } from "../../lib/documents/index-documents.ts"
import { IndexRequest } from "../../lib/documents/index-request.ts"
import { createWordEmbedder } from "../word-embedder.ts"
import { numbered } from "./server-process.ts"

// Writes document after document into an embedded database and names each that was acknowledged, until it is killed:
// node --import tsx tests/faults/writing-process.ts <home> <round>

const [home = "", round = ""] = process.argv.slice(2)
const { database } = await openPglite({ home })
const index = createIndexDocuments({ database, embedder: createWordEmbedder() })
// The first loads what tells languages apart, a second in which nothing is written.
for (let i = 0; ; i++) {
  const id = `round-${round}-${i}`
  // Every third writes over what the round before it wrote.
  const at = i % 3 === 0 ? `shared-${i % 9}` : id
  const request = IndexRequest.parse({ id: at, content: numbered(`by keeper ${id}`, 1 + (i % 40)) })
  const [outcome] = await index("primary", [request], deadlineIn(60_000))
  if (outcome && "failed" in outcome) throw outcome.failed
  process.stdout.write(`${at}\n`)
}
