import { formatCitation } from "../citation.ts"
import type { DocumentPages } from "../documents/document-pages.ts"
import type { Documents } from "../documents/documents.ts"
import type { ChunkDetails } from "../documents/page-details.ts"
import type { PagePictures } from "../documents/page-pictures.ts"
import { AppError } from "../errors.ts"
import type { Names, ReadPassage } from "../indexes/read-passage.ts"
import type { SearchedIndex } from "./open-searched-index.ts"

interface OverIndex extends Pick<SearchedIndex, "foreign"> {
  /** How long the index may take to find a passage, ms. */
  readonly timeoutMs: number
}

interface Reading {
  readonly documents: Documents
  readonly documentPages: DocumentPages
  readonly pagePictures: PagePictures
}

/**
 * What a reader turns over, where searches cite another index: a chunk is read from there first, for it is what citations mean. Pages,
 * pictures and tables are those of uploads; a document without them is told so. Without another index the pages are as they are.
 */
export function pagesOverIndex(pages: DocumentPages, { foreign, timeoutMs }: OverIndex): DocumentPages {
  if (!foreign) return pages
  return {
    ...tellingOf(foreign.engine, pages),
    async chunk(tenant, documentId, chunkId) {
      const found = await foreign.readPassage(tenant, { documentId, chunkId }, timeoutMs)
      return found ? toChunk({ documentId, chunkId }, found) : pages.chunk(tenant, documentId, chunkId)
    },
  }
}

/** Documents or pictures that are stored here; what isn't may be cited all the same, and whoever asks for it is told so. */
export function storedBesideIndex<Stored extends Readonly<Record<keyof Stored, Method>>>(
  stored: Stored,
  { foreign }: Pick<OverIndex, "foreign">,
): Stored {
  return foreign ? tellingOf(foreign.engine, stored) : stored
}

/** All that is stored here and read, beside the index that is searched. */
export function readingOverIndex(
  { documents, documentPages, pagePictures }: Reading,
  { foreign, timeoutMs }: OverIndex,
): Reading {
  return {
    documents: storedBesideIndex(documents, { foreign }),
    documentPages: pagesOverIndex(documentPages, { foreign, timeoutMs }),
    pagePictures: storedBesideIndex(pagePictures, { foreign }),
  }
}

function toChunk(
  { documentId, chunkId }: Names,
  { title, content, language, metadata, page, parentId }: NonNullable<Awaited<ReturnType<ReadPassage>>>,
): ChunkDetails {
  return {
    ...{ id: chunkId, document_id: documentId, title, kind: "text", content, language, metadata },
    ...(page !== null && { page }),
    citation: formatCitation({ documentId, chunkId, page: page ?? undefined }),
    ...(parentId !== null && { parent_id: parentId }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: whatever it takes and gives is passed on as it is
type Method = (...given: any[]) => Promise<unknown>

/** The same methods, whose `not_found` says what else there is. */
function tellingOf<Stored extends Readonly<Record<keyof Stored, Method>>>(engine: string, stored: Stored): Stored {
  const telling =
    (ask: Method): Method =>
    (...given) =>
      ask(...given).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== "not_found") throw error
        const there = `Searches read ${engine}, whose records have no pages or pictures here; each passage is read by its citation`
        throw new AppError("not_found", `${error.message}. ${there}`, { cause: error })
      })
  const methods = Object.entries<Method>(stored as Record<string, Method>).map(([name, ask]) => [name, telling(ask)])
  return Object.fromEntries(methods) as Stored
}
