import { openPgAccess } from "../../lib/indexes/pgvector/pg-access.ts"
import type { PgNames } from "../../lib/indexes/pgvector/pg-table.ts"
import { createPgvectorIndex } from "../../lib/indexes/pgvector/pgvector-index.ts"
import { openEmptyDatabase } from "../database.ts"
import { describeBehaviour, type IndexSubject } from "./behaviour.ts"
import { accessTo } from "./foreign-postgres.ts"
import { startSocketServer } from "./silent-server.ts"

const NAMES: PgNames = {
  table: "t",
  id: "id",
  content: "content",
  embedding: "embedding",
  metadata: "metadata",
  tsvector: null,
  textConfig: "english",
}

/** What PostgreSQL says of a wrong password, on the wire. */
const REFUSAL = (() => {
  const fields = Buffer.from("SFATAL\0C28P01\0Mpassword authentication failed\0\0")
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
})()

async function openSubject(names: Partial<PgNames>): Promise<IndexSubject> {
  const test = await openEmptyDatabase()
  const silent = await startSocketServer()
  const refusing = await startSocketServer((socket) => socket.once("data", () => socket.end(REFUSAL)))
  const at = (port: number) =>
    createPgvectorIndex(openPgAccess(`postgres://user:wrong-key@127.0.0.1:${port}/db`), { ...NAMES, ...names })
  return {
    open: async (collection) => createPgvectorIndex(accessTo(test), { ...NAMES, ...names, table: collection }),
    away: () => at(1),
    refused: () => at(refusing.port),
    silent: () => at(silent.port),
    async close() {
      await silent.close()
      await refusing.close()
      await test.close()
    },
  }
}

describeBehaviour("pgvector", () => openSubject({}))
describeBehaviour("pgvector with a tsvector", () =>
  openSubject({ tsvector: 'the "words"', content: 'text "of" it', textConfig: "english" }),
)
