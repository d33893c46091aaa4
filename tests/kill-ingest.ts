import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openPglite } from "../lib/database/pglite.ts"
import { createFilesystemStore } from "../lib/objects/filesystem-store.ts"
import { randomFrom } from "../lib/random.ts"
import { migratedDump } from "./migrated-dump.ts"

const PROCESS = fileURLToPath(new URL("./ingest-process.ts", import.meta.url))

/** Everything that an ingestion leaves: rows of all tables without times, and objects by key with a digest of each. */
export interface Remains {
  readonly tables: Record<string, unknown[]>
  readonly objects: Record<string, string>
}

/** A folder of files for `ingest-process.ts` to read: some with pages, some without, one that can't be read. */
export async function makeFolder(documents: number, pages: number): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "concordance-kill-"))
  const folder = join(root, "files")
  await mkdir(folder)
  // A start of the process takes 2 s in place of 10.
  await writeFile(join(root, "migrated.tar"), Buffer.from(await (await migratedDump()).arrayBuffer()))
  for (let i = 0; i < documents; i++) {
    const lines = (page: number) => Array.from({ length: 4 }, (_, line) => `Entry ${line} of page ${page} in book ${i}`)
    const text = Array.from({ length: i % 4 === 3 ? 1 : pages }, (_, page) => lines(page).join("\n")).join("\f")
    await writeFile(join(folder, `book-${i}.txt`), i === 1 ? "locked" : text)
  }
  return root
}

/** Ingests the folder, killing the process so many times on its way. Returns what is there at the end. */
export async function ingestWithKills(root: string, name: string, kills: number, seed: number): Promise<Remains> {
  const home = join(root, name)
  const random = randomFrom(seed)
  let killed = 0
  for (;;) {
    const child = spawn(process.execPath, ["--import", "tsx", PROCESS, home, join(root, "files")])
    const outcome = await untilKilledOrDone(child, killed < kills ? 20 + random() * 1_200 : null)
    if (outcome === "finished") break
    killed++
  }
  return remainsOf(home)
}

async function untilKilledOrDone(child: ChildProcess, killAfterMs: number | null): Promise<"killed" | "finished"> {
  let output = ""
  let errors = ""
  child.stderr?.on("data", (data) => {
    errors += String(data)
  })
  child.stdout?.on("data", (data) => {
    // The clock starts when the database is open: before that there is nothing of ours to interrupt.
    if (output === "" && killAfterMs !== null) setTimeout(() => child.kill("SIGKILL"), killAfterMs)
    output += String(data)
  })
  const signal = await new Promise((resolve) => child.on("exit", (_, signal) => resolve(signal)))
  if (output.endsWith("finished\n")) return "finished"
  if (signal === "SIGKILL") return "killed"
  throw new Error(`the process ended by itself: ${errors}`)
}

// What failed is tried anew by every start, and each time is a generation.
const TABLES = {
  documents:
    "select id, title, status, error, case status when 'failed' then null else generation end as generation, sha256, page_count, languages, last_chunk, metadata from documents order by id",
  chunks:
    "select document_id, id, ordinal, parent_id, kind, content, regions, content_hash from chunks order by document_id, id",
  embeddings: `select c.document_id, c.id, e.embedding::text as vector from embeddings e join chunks c on c.key = e.chunk_key order by 1, 2`,
  pages: "select document_id, number, width, image_key from pages order by document_id, number",
  document_tables: "select document_id, number, csv from document_tables order by document_id, number",
  ingest_jobs:
    "select document_id, case state when 'failed' then null else generation end as generation, state, upload_key, error, pages_done, pages_total from ingest_jobs order by document_id",
  page_drafts: "select document_id from page_drafts",
  embedding_drafts: "select document_id from embedding_drafts",
  uploads: "select key from uploads",
  lexemes:
    "select lexeme, sum(chunks) as chunks from (select lexeme, chunks from lexeme_counts union all select lexeme, chunks from lexeme_count_deltas) c group by lexeme having sum(chunks) <> 0 order by lexeme",
}

async function remainsOf(home: string): Promise<Remains> {
  const { database, owner } = await openPglite({ home })
  const tables: Record<string, unknown[]> = {}
  for (const [name, text] of Object.entries(TABLES))
    tables[name] = await owner.session((session) => session.query(text))
  await database.close()
  const objects: Record<string, string> = {}
  const store = createFilesystemStore({ folder: join(home, "objects") })
  for await (const { key } of store.list("")) {
    const bytes = await readFile(join(home, "objects", key))
    objects[key] = createHash("sha256").update(bytes).digest("hex")
  }
  return { tables, objects }
}
