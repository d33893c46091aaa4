import type { DetectLanguage } from "../../detect-language.ts"
import type { Embedder } from "../../inference/inference.ts"
import { LanguageTag } from "../../shapes.ts"
import type { AssembledChunk, AssembledDocument, AssembledTable } from "../assembled-document.ts"
import type { ReadDocument } from "../block.ts"
import { CHUNK_CHARS_MAX, type GivenChunk, IndexRequest } from "../index-request.ts"
import { type PreparedDocument, prepareDocument, type SourceFile } from "../prepare-document.ts"
import { storable } from "../storable.ts"
import type { Job } from "./upload.ts"

/** Cuts a document into chunks and parents. The title stands before each chunk when the model reads it, and takes its room. */
export type AssembleChunks = (
  document: ReadDocument,
  options: { readonly flat: boolean; readonly title: string },
) => Promise<AssembledDocument>

/** A document ready to be embedded and published, with what `chunks` doesn't hold of it. */
export interface IngestDocument {
  readonly prepared: PreparedDocument
  readonly tables: readonly AssembledTable[]
}

interface AssembleParts {
  readonly assembleChunks: AssembleChunks
  readonly embedder: Embedder | null
  readonly detectLanguage: DetectLanguage
}

/** What was read of a job's file. */
interface ReadFile {
  readonly document: ReadDocument
  /** As the file's format gives it. */
  readonly title: string | null
  readonly file: SourceFile
  /** Null for formats without pages. */
  readonly pageCount: number | null
  readonly warnings: readonly string[]
}

/**
 * From blocks to chunks with languages and hashes. The title is the uploader's, else the file's own, else its name; a
 * chunk's language the uploader's, else its own text's, else what the file declares.
 */
export async function assembleDocument(parts: AssembleParts, job: Job, read: ReadFile): Promise<IngestDocument> {
  const { document, file, pageCount } = read
  const title = storable(job.options.title ?? read.title ?? document.title ?? titleOf(job.fileName)).slice(0, 2_000)
  const assembled = await parts.assembleChunks(document, { flat: job.options.flat, title })
  const declared = LanguageTag.safeParse(document.language?.toLowerCase().split(/[-_]/)[0]).data
  const languageOf = (content: string) => job.options.language ?? parts.detectLanguage(content) ?? declared
  const warnings = [...read.warnings, ...document.warnings]
  if (assembled.chunks.length === 0) warnings.push("no text was found in this file: searches will not find it")
  const cut = assembled.chunks.filter(({ content }) => content.length > CHUNK_CHARS_MAX).length
  if (cut > 0) warnings.push(`${cut} chunks were longer than ${CHUNK_CHARS_MAX} characters and lost their ends`)
  const base = IndexRequest.parse({ id: job.documentId, title, content: "-", metadata: job.options.metadata })
  const request = {
    ...base,
    content: undefined,
    chunks: assembled.chunks.map((chunk) => givenChunk(chunk, languageOf(chunk.content))),
    parents: assembled.parents.map(({ content }) => ({ content: storable(content) })),
  }
  const prepared = prepareDocument(request, parts.embedder, parts.detectLanguage)
  const parents = prepared.parents.map((parent, i) => {
    const { regions = [], headings = [] } = assembled.parents[i] ?? {}
    return { ...parent, regions, metadata: { ...parent.metadata, ...headingPath(headings) } }
  })
  return { prepared: { ...prepared, parents, file, pageCount, warnings }, tables: assembled.tables }
}

function givenChunk(chunk: AssembledChunk, language: string | undefined): GivenChunk {
  return {
    content: storable(chunk.content).slice(0, CHUNK_CHARS_MAX),
    kind: chunk.kind,
    language,
    regions: [...chunk.regions],
    metadata: { ...headingPath(chunk.headings), ...(chunk.table !== null && { table: chunk.table }) },
    parent: chunk.parent ?? undefined,
  }
}

function headingPath(headings: readonly string[]): { headings?: string[] } {
  return headings.length > 0 ? { headings: headings.map(storable) } : {}
}

const titleOf = (fileName: string): string =>
  fileName
    .replace(/\.[A-Za-z0-9]{1,8}$/, "")
    .replace(/[-_]+/g, " ")
    .trim()
