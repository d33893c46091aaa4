import { mkdir, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { MIGRATIONS_FOLDER, migrate } from "../lib/database/migrate.ts"
import { openPglite } from "../lib/database/pglite.ts"
import { createDocuments } from "../lib/documents/documents.ts"
import { createIngest } from "../lib/documents/ingest/create-ingest.ts"
import { describeFile } from "../lib/documents/ingest/fetch-upload.ts"
import { createIngestQueue, tenantsWithWork } from "../lib/documents/ingest/ingest-queue.ts"
import { createLog } from "../lib/log.ts"
import { createFilesystemStore } from "../lib/objects/filesystem-store.ts"
import { assembleBlocks, createTextFileReader } from "./text-file-reader.ts"
import { createWordEmbedder } from "./word-embedder.ts"

// A process that ingests a folder into a home, as `concordance ingest` does, for `tests/ingest-kill.test.ts` to kill:
// node --import tsx tests/ingest-process.ts <home> <folder>

/** What the reader and the model take, ms: long enough to be killed in. */
const PAGE_MS = 15
const EMBED_MS = 15

const [home = "", folder = ""] = process.argv.slice(2)
await mkdir(home, { recursive: true })
const dump = await readFile(join(folder, "..", "migrated.tar")).catch(() => null)
const { database, owner } = await openPglite({
  home,
  ...(dump && (await isNew()) && { loadDataDir: new Blob([dump]) }),
})
await migrate(owner, MIGRATIONS_FOLDER)
const log = createLog({ level: "warn", write: (line) => process.stderr.write(line) })
const objects = createFilesystemStore({ folder: join(home, "objects") })
const words = createWordEmbedder()
const ingest = createIngest({
  database,
  documents: createDocuments(database),
  objects,
  fileReader: createTextFileReader({ beforePage: () => sleep(PAGE_MS) }),
  embedder: { ...words, embed: async (texts, kind) => sleep(EMBED_MS).then(() => words.embed(texts, kind)) },
  enricher: null,
  assembleChunks: assembleBlocks,
  settings: { documentBytesMax: 1_000_000, documentPagesMax: 100, ingestConcurrency: 2 },
  tempFolder: join(home, "tmp"),
  log,
})
const queue = createIngestQueue({ ingest, documentsAtOnce: 2, isAlone: true, log })
process.stdout.write("started\n")
await queue.resumeAll(await tenantsWithWork(owner))
for (const name of (await readdir(folder)).sort()) {
  const file = await describeFile(join(folder, name))
  await queue.add("primary", { id: name, fileName: name, options: { metadata: {}, flat: false } }, file)
}
await queue.idle()
await database.close()
process.stdout.write("finished\n")

async function isNew(): Promise<boolean> {
  return !(await readdir(home)).includes("database")
}
