import { createHash } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Row } from "../lib/database/database.ts"
import { createDocuments } from "../lib/documents/documents.ts"
import type { Enricher } from "../lib/documents/enrichment/enrichment-session.ts"
import type { FileReader } from "../lib/documents/file-reader.ts"
import { createIngest, type Ingest } from "../lib/documents/ingest/create-ingest.ts"
import { IngestOptions } from "../lib/documents/ingest/upload.ts"
import type { Embedder } from "../lib/inference/inference.ts"
import { createLog } from "../lib/log.ts"
import type { ObjectStore } from "../lib/objects/object-store.ts"
import { type Library, openLibrary } from "./library.ts"
import { createMemoryObjects } from "./memory-objects.ts"
import { assembleBlocks, createTextFileReader } from "./text-file-reader.ts"
import { createWordEmbedder } from "./word-embedder.ts"

interface Parts {
  readonly fileReader?: FileReader
  readonly embedder?: Embedder | null
  /** None without it. */
  readonly enricher?: Enricher | null
  /** In place of the store of all workers. */
  readonly objects?: ObjectStore
  /** Pages read side by side. */
  readonly concurrency?: number
}

/** A library that files can be ingested into, with an object store in memory. */
export interface Ingesting extends Library {
  readonly objects: ReturnType<typeof createMemoryObjects>
  readonly lines: string[]
  /** Another worker on the same state, as another process would be. */
  worker(parts?: Parts): Ingest
  /** Stores a file of this content as a job; nothing runs yet. */
  add(tenant: string, id: string, text: string | Uint8Array, options?: Partial<IngestOptions>): Promise<string>
  /** The rows of a query by the owner, every tenant's. */
  rows(text: string, values?: readonly string[]): Promise<Row[]>
}

/** Opens it on a database of its own. */
export async function openIngesting(): Promise<Ingesting> {
  const library = await openLibrary()
  const objects = createMemoryObjects()
  const lines: string[] = []
  const tempFolder = await mkdtemp(join(tmpdir(), "concordance-ingest-"))
  const worker = (parts: Parts = {}): Ingest => {
    const { fileReader = createTextFileReader(), embedder, enricher = null, concurrency = 2 } = parts
    return createIngest({
      database: library.database,
      documents: createDocuments(library.database),
      objects: parts.objects ?? objects,
      fileReader,
      embedder: embedder === undefined ? createWordEmbedder() : embedder,
      enricher,
      assembleChunks: assembleBlocks,
      settings: { documentBytesMax: 1_000_000, documentPagesMax: 200, ingestConcurrency: concurrency },
      tempFolder,
      log: createLog({ level: "debug", write: (line) => lines.push(line) }),
    })
  }
  const uploader = worker()
  return {
    ...library,
    objects,
    lines,
    worker,
    async add(tenant, id, text, options = {}) {
      const path = join(tempFolder, createHash("sha256").update(text).digest("hex"))
      await writeFile(path, text)
      const sha256 = createHash("sha256").update(text).digest("hex")
      const file = { path, bytes: Buffer.byteLength(text), sha256 }
      const request = { id, fileName: `${id}.txt`, options: IngestOptions.parse(options) }
      return (await uploader.add(tenant, request, file)).status
    },
    rows: (text, values = []) =>
      library.owner.session(async (session) => {
        await session.query("set search_path = concordance, public")
        return session.query(text, values)
      }),
    async close() {
      await library.close()
      await rm(tempFolder, { recursive: true, force: true })
    },
  }
}
