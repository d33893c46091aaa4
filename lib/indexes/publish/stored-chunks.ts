import type { Database } from "../../database/database.ts"
import { normalized, vectorFromBase64 } from "../../vector.ts"

/** A chunk, or a parent, as it is stored. */
export interface StoredChunk {
  readonly id: string
  /** From 1, in reading order. */
  readonly ordinal: number
  readonly parentId: string | null
  readonly kind: string
  readonly title: string
  readonly content: string
  readonly language: string
  readonly translation: { readonly language: string; readonly content: string } | null
  readonly page: number | null
  readonly metadata: Readonly<Record<string, unknown>>
  /** The model's, of unit length; null where it has made none: parents, and what came with a caller's vector. */
  readonly vector: Float32Array | null
}

/** Of one answer: with vectors of 1,024 dimensions 0.4 MB and as many texts; as many parents the model reads in some seconds. */
const PAGE = 64

const CHUNKS = `
  select c.id, c.ordinal, c.parent_id as "parentId", c.kind, c.title, c.content, c.language, c.first_page as page, c.metadata,
         c.translation_language, c.translated_content, encode(halfvec_send(e.embedding), 'base64') as vector
    from chunks c
    join documents d on d.source_account_id = c.source_account_id and d.id = c.document_id
    left join embedding_spaces s on s.source_account_id = c.source_account_id and s.model = $5
    left join embeddings e on e.source_account_id = c.source_account_id and e.chunk_key = c.key and e.space_id = s.id
   where c.document_id = $1 and d.status = 'ready' and d.generation::text = $2 and c.searchable = $3 and c.ordinal > $4
   order by c.ordinal limit ${PAGE}`

interface ChunksOptions {
  readonly tenant: string
  readonly documentId: string
  /** Nothing more comes once another is served. */
  readonly version: string
  /** False: parents. */
  readonly searchable: boolean
  /** Whose vectors. */
  readonly model: string
}

/** A document's chunks, or parents, page by page. */
export async function* readChunks(database: Database, options: ChunksOptions): AsyncGenerator<readonly StoredChunk[]> {
  const { tenant, documentId, version, searchable, model } = options
  for (let after = 0; ; ) {
    const values = [documentId, version, searchable, after, model]
    const [rows = []] = await database.batch({ tenant }, [{ text: CHUNKS, values }])
    const chunks = (rows as unknown as ChunkRow[]).map(toChunk)
    if (chunks.length > 0) yield chunks
    if (chunks.length < PAGE) return
    after = chunks.at(-1)?.ordinal ?? after
  }
}

interface ChunkRow extends Omit<StoredChunk, "vector" | "translation"> {
  readonly translation_language: string | null
  readonly translated_content: string | null
  readonly vector: string | null
}

function toChunk({
  translation_language: language,
  translated_content: content,
  vector,
  ...row
}: ChunkRow): StoredChunk {
  return {
    ...row,
    translation: language !== null && content !== null ? { language, content } : null,
    // Halves keep three digits of a length of 1.
    vector: vector === null ? null : normalized(vectorFromBase64(vector)),
  }
}
