import { AppError } from "../../errors.ts"
import { pathSegment } from "../path-segment.ts"
import type { IndexCall, NewRecord, SearchIndex } from "../search-index.ts"
import { sparsePassage } from "../sparse-words.ts"
import type { PineconeServer } from "./pinecone-host.ts"
import { metadataOf } from "./pinecone-metadata.ts"

/** Coordinates of one request: at 20 bytes they take 1.2 of the 2 MB that it may have. */
const VALUES_MAX = 60_000
/** Characters of text and metadata of one request: at 3 bytes 0.75 MB. */
const CHARACTERS_MAX = 250_000
const BATCH_MAX = 500

export interface PineconeWriting {
  readonly dense: PineconeServer
  readonly sparse: PineconeServer | null
  readonly namespace: (at: IndexCall) => string
  readonly name: string
}

/**
 * The writing side of a namespace: the record with its vector goes into the index, and with its words into the index of sparse
 * vectors, where there is one. Indexes themselves are made at Pinecone: they need a cloud and a region.
 */
export function writePinecone({
  dense,
  sparse,
  namespace,
  name,
}: PineconeWriting): Required<Pick<SearchIndex, "upsert" | "delete" | "ensureCollection" | "reset">> {
  const servers = sparse ? [dense, sparse] : [dense]
  return {
    async upsert(records, at) {
      for (const batch of requests(records)) {
        const into = { namespace: namespace(at) }
        await dense.call("POST", "/vectors/upsert", { ...into, vectors: batch.map(toDense) }, at.signal)
        if (sparse) await upsertWords(sparse, batch, into, at)
      }
    },
    async delete(ids, at) {
      for (let i = 0; i < ids.length; i += BATCH_MAX) {
        const body = { ids: ids.slice(i, i + BATCH_MAX), namespace: namespace(at) }
        for (const server of servers) await server.call("POST", "/vectors/delete", body, at.signal, [404])
      }
    },
    async ensureCollection(dimensions, at) {
      const stats = await dense.call<{ dimension?: number }>("POST", "/describe_index_stats", {}, at.signal)
      if (stats?.dimension !== undefined && stats.dimension !== dimensions) {
        throw new AppError(
          "invalid_configuration",
          `${name} is for vectors of ${stats.dimension} dimensions; those to be written have ${dimensions}. Set PINECONE_INDEX_NAME to an index of ${dimensions}.`,
        )
      }
      for (const server of servers) {
        const path = `/namespaces/${pathSegment(namespace(at))}`
        const isThere = await server.call("GET", path, undefined, at.signal, [404])
        // 409: somebody else made it meanwhile.
        if (!isThere) await server.call("POST", "/namespaces", { name: namespace(at) }, at.signal, [409])
      }
    },
    async reset(at) {
      const path = `/namespaces/${pathSegment(namespace(at))}`
      for (const server of servers) await server.call("DELETE", path, undefined, at.signal, [404])
    },
  }
}

/** A text without words has no sparse vector, and Pinecone takes none that is empty: what it had goes. */
async function upsertWords(
  { call }: PineconeServer,
  records: readonly NewRecord[],
  into: object,
  at: IndexCall,
): Promise<void> {
  const all = records.map(toSparse)
  const worded = all.filter(({ sparseValues }) => sparseValues.indices.length > 0)
  const wordless = all.filter(({ sparseValues }) => sparseValues.indices.length === 0).map(({ id }) => id)
  if (worded.length > 0) await call("POST", "/vectors/upsert", { ...into, vectors: worded }, at.signal)
  if (wordless.length > 0) await call("POST", "/vectors/delete", { ...into, ids: wordless }, at.signal, [404])
}

function toDense({ id, text, payload, vector }: NewRecord): object {
  return { id, values: Array.from(vector), metadata: metadataOf(text, payload) }
}

function toSparse(record: NewRecord) {
  return { id: record.id, sparseValues: sparsePassage(record), metadata: metadataOf(record.text, record.payload) }
}

/** The records in as many requests as Pinecone's 2 MB ask for. */
function requests(records: readonly NewRecord[]): NewRecord[][] {
  const lists: NewRecord[][] = []
  let values = 0
  let characters = 0
  for (const record of records) {
    const length = record.text.length + JSON.stringify(record.payload).length
    const last = lists.at(-1)
    const fits =
      last &&
      last.length < BATCH_MAX &&
      values + record.vector.length <= VALUES_MAX &&
      characters + length <= CHARACTERS_MAX
    if (fits) last.push(record)
    else {
      lists.push([record])
      values = 0
      characters = 0
    }
    values += record.vector.length
    characters += length
  }
  return lists
}
