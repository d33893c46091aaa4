import { Option } from "commander"
import type { PublishedTally } from "../lib/indexes/publish/create-publication.ts"
import type { Publication } from "../lib/indexes/publish/open-publication.ts"
import type { OpenPublication } from "../lib/runtime/open-publication.ts"
import type { Progress } from "./progress.ts"
import type { Terminal } from "./terminal.ts"

const ENGINES = ["concordance", "qdrant", "pinecone", "weaviate", "chroma", "pgvector"] as const

/** `--into` and `--from`: which index, besides Concordance's own. */
export type EngineChoice = (typeof ENGINES)[number]

/** An option that takes an engine. */
export function engineOption(flag: string, description: string): Option {
  return new Option(`${flag} <provider>`, description).choices(ENGINES)
}

interface Destination {
  readonly engine: EngineChoice | undefined
  readonly tenant: string
  readonly terminal: Terminal
}

/** Opens the index elsewhere, hands it to `work` and closes it; null where there is none to write to. */
export async function withPublication<T>(
  { openPublication }: { readonly openPublication: OpenPublication },
  { engine, tenant, terminal }: Destination,
  work: (publication: Publication | null) => Promise<T>,
): Promise<T> {
  if (engine === undefined || engine === "concordance") return work(null)
  const publication = await openPublication(engine, tenant, terminal.signal)
  try {
    return await work(publication)
  } finally {
    await publication.close()
  }
}

/** Brings the index elsewhere to where the store here is, of these documents and of all that it has, and says what that took. */
export async function publishInto(
  { name, publish }: Publication,
  documentIds: readonly string[],
  terminal: Terminal,
): Promise<void> {
  let progress: Progress | undefined
  const onProgress = (done: number, total: number) => {
    progress ??= terminal.progress("Writing", total)
    progress.at(done)
  }
  let tally: PublishedTally
  try {
    tally = await publish(documentIds, { others: true, onProgress })
  } finally {
    progress?.stop()
  }
  const { written, unchanged, removed, records, truncated } = tally
  if (truncated > 0)
    terminal.note(`The model read ${truncated} passages or parents only in part: they are found by how they begin.`)
  const documents = written === 1 ? "1 document" : `${written} documents`
  terminal.line(`Into ${name}: ${documents} in ${records} records, unchanged ${unchanged}, removed ${removed}.`)
}
