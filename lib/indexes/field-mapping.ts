import { AppError, invalidField } from "../errors.ts"
import { type Filter, filterClauses } from "../search/filter.ts"
import { isOwnPayload, OWN_FIELDS } from "./own-layout.ts"
import type { IndexClause, IndexRecord } from "./search-index.ts"

/** Keys from the payload's root. One that goes on below a text reads that text as JSON (LlamaIndex's `_node_content`). */
export type FieldPath = readonly string[]

/** Where a record has what; null: nowhere. */
export interface FieldMapping {
  /** `[]`: beside the payload (`IndexRecord.text`). */
  readonly content: FieldPath
  readonly title: FieldPath | null
  /** Null: each record is a document of its own. */
  readonly document: FieldPath | null
  /** Null: the record's id names the chunk. */
  readonly chunk: FieldPath | null
  readonly page: FieldPath | null
  /** 1 where pages are counted from 0, as LangChain's PDF loaders do. */
  readonly pageOffset: 0 | 1
  readonly parent: FieldPath | null
  readonly language: FieldPath | null
  /** Null: filters ask the metadata for it. */
  readonly kind: FieldPath | null
  /** The object that filters ask and hits show; `[]`: the payload itself. */
  readonly metadata: FieldPath
}

/** What an operator decides of it, dotted; undefined is guessed. */
export interface FieldSettings {
  readonly vectordbContentField?: string | undefined
  readonly vectordbTitleField?: string | undefined
  readonly vectordbDocumentField?: string | undefined
  readonly vectordbChunkField?: string | undefined
  readonly vectordbPageField?: string | undefined
  readonly vectordbParentField?: string | undefined
  readonly vectordbMetadataField?: string | undefined
}

/** How those settings are called in the environment. */
export const FIELD_KEYS: Readonly<Record<keyof FieldSettings, string>> = {
  vectordbContentField: "VECTORDB_CONTENT_FIELD",
  vectordbTitleField: "VECTORDB_TITLE_FIELD",
  vectordbDocumentField: "VECTORDB_DOCUMENT_FIELD",
  vectordbChunkField: "VECTORDB_CHUNK_FIELD",
  vectordbPageField: "VECTORDB_PAGE_FIELD",
  vectordbParentField: "VECTORDB_PARENT_FIELD",
  vectordbMetadataField: "VECTORDB_METADATA_FIELD",
}

/** A record as the pipeline reads it. */
export interface MappedRecord {
  readonly id: string
  readonly content: string
  readonly title: string
  readonly documentId: string
  readonly chunkId: string
  /** From 1. */
  readonly page: number | null
  readonly parentId: string | null
  /** `und` where the record doesn't say. */
  readonly language: string
  readonly metadata: Record<string, unknown>
}

/** Objects with the caller's metadata: LangChain's, Haystack's, LangChain's table in PostgreSQL. */
const METADATA = ["metadata", "meta", "cmetadata"]
/** In order of preference; each is looked for in the metadata first, then at the root. */
const GUESSES = {
  content: ["page_content", "pageContent", "text", "content", "body", "chunk_text", "document", "_node_content.text"],
  title: ["title", "document_title", "file_name", "filename", "name", "source"],
  document: [
    "document_id",
    "documentId",
    "ref_doc_id",
    "doc_id",
    "source_id",
    "source",
    "file_path",
    "url",
    "file_name",
  ],
  chunk: ["chunk_id", "chunkId"],
  page: ["page_number", "pageNumber", "page_label", "loc.pageNumber", "page"],
  parent: ["parent_id", "parentId", "parent"],
  language: ["language", "lang"],
} as const
/** Of a mapping that names a field nowhere to be seen: texts that make up a payload and mean nothing to a reader. */
const PLUMBING = new Set(["_node_content", "_node_type"])

/** What is reached by a path, through objects and texts of JSON; undefined where there is nothing. */
function readPath(root: unknown, path: FieldPath): unknown {
  let value = root
  for (const key of path) {
    if (typeof value === "string") value = parsed(value)
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text, or a number written as one; null for all else and for blank texts. */
function asText(value: unknown): string | null {
  if (typeof value === "number") return String(value)
  return typeof value === "string" && value.trim() !== "" ? value : null
}

function asPage(value: unknown): number | null {
  const page = typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) : value
  return typeof page === "number" && Number.isInteger(page) && page >= 0 ? page : null
}

/**
 * The mapping of an index of which these records are samples: what the settings say, else the first known field that half
 * of the samples have; the fields of what Concordance wrote are known. Throws `invalid_configuration` where a field of the settings is in none of the samples, or no text is.
 *
 * @param name the index, as messages call it
 */
export function mapFields(samples: readonly IndexRecord[], settings: FieldSettings, name: string): FieldMapping {
  const inMost = (has: (record: IndexRecord) => boolean) =>
    samples.filter(has).length * 2 >= Math.max(1, samples.length)
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value)
  const root = METADATA.find((key) => inMost(({ payload }) => isObject(payload[key])))
  const chosen = (setting: keyof FieldSettings): FieldPath | undefined => {
    const field = settings[setting]
    if (field === undefined) return undefined
    const path = field.split(".")
    if (samples.length === 0 || samples.some(({ payload }) => readPath(payload, path) !== undefined)) return path
    throw new AppError(
      "invalid_configuration",
      `${FIELD_KEYS[setting]} is ${field}, which none of ${samples.length} records of ${name} has. They have ${fieldNames(samples)}.`,
    )
  }
  const own = samples.length > 0 && inMost(({ payload }) => isOwnPayload(payload)) ? OWN_FIELDS : undefined
  const metadata = chosen("vectordbMetadataField") ?? own?.metadata ?? (root === undefined ? [] : [root])
  const guess = (role: keyof typeof GUESSES, isOne: (value: unknown) => boolean): FieldPath | null => {
    const paths = GUESSES[role].map((field) => field.split("."))
    const places =
      role === "content"
        ? paths
        : [...(metadata.length > 0 ? paths.map((path) => [...metadata, ...path]) : []), ...paths]
    return places.find((path) => inMost(({ payload }) => isOne(readPath(payload, path)))) ?? null
  }
  const isText = (value: unknown) => asText(value) !== null
  const besides = inMost(({ text }) => text !== null && text.trim() !== "") ? [] : null
  const content =
    chosen("vectordbContentField") ??
    own?.content ??
    besides ??
    guess("content", (value) => typeof value === "string" && isText(value))
  if (content === null && samples.length > 0) throw noContent(samples, name)
  const page = chosen("vectordbPageField") ?? own?.page ?? guess("page", (value) => asPage(value) !== null)
  return {
    content: content ?? [],
    title: chosen("vectordbTitleField") ?? own?.title ?? guess("title", isText),
    document: chosen("vectordbDocumentField") ?? own?.document ?? guess("document", isText),
    chunk: chosen("vectordbChunkField") ?? own?.chunk ?? guess("chunk", isText),
    page,
    pageOffset: page && samples.some(({ payload }) => asPage(readPath(payload, page)) === 0) ? 1 : 0,
    // Not every record has one: a chunk that is its own parent, an expansion made for long documents alone.
    parent: chosen("vectordbParentField") ?? own?.parent ?? guessParent(samples, metadata),
    language: own?.language ?? guess("language", isText),
    kind: own?.kind ?? null,
    metadata,
  }
}

function guessParent(samples: readonly IndexRecord[], metadata: FieldPath): FieldPath | null {
  const paths = GUESSES.parent.flatMap((field) => (metadata.length > 0 ? [[...metadata, field], [field]] : [[field]]))
  return paths.find((path) => samples.some(({ payload }) => asText(readPath(payload, path)) !== null)) ?? null
}

function noContent(samples: readonly IndexRecord[], name: string): AppError {
  return new AppError(
    "invalid_configuration",
    `No field of ${samples.length} records of ${name} is known as their text. They have ${fieldNames(samples)}. Set VECTORDB_CONTENT_FIELD to the one that is.`,
  )
}

/** Names of fields, never their values: a message shows them. */
function fieldNames(samples: readonly IndexRecord[]): string {
  const names = [...new Set(samples.flatMap(({ payload }) => Object.keys(payload)))].slice(0, 20)
  return names.length === 0 ? "no fields at all" : names.join(", ")
}

/** A record as the mapping reads it. What isn't there is empty; content too, since one odd record must not fail a search. */
export function readRecord(mapping: FieldMapping, { id, text, payload }: IndexRecord): MappedRecord {
  const textAt = (path: FieldPath | null) => (path === null ? null : asText(readPath(payload, path)))
  const page = mapping.page === null ? null : asPage(readPath(payload, mapping.page))
  const content = mapping.content.length === 0 ? text : textAt(mapping.content)
  return {
    id,
    content: content ?? "",
    title: textAt(mapping.title) ?? "",
    documentId: textAt(mapping.document) ?? id,
    chunkId: textAt(mapping.chunk) ?? id,
    page: page === null || page + mapping.pageOffset === 0 ? null : page + mapping.pageOffset,
    parentId: textAt(mapping.parent),
    language: textAt(mapping.language) ?? "und",
    metadata: shownMetadata(mapping, payload),
  }
}

function shownMetadata({ metadata, content }: FieldMapping, payload: Readonly<Record<string, unknown>>) {
  const root = readPath(payload, metadata)
  if (typeof root !== "object" || root === null) return {}
  const isShown = (key: string) =>
    !PLUMBING.has(key) && !(metadata.length === 0 && content.length > 0 && content[0] === key)
  return Object.fromEntries(Object.entries(root).filter(([key]) => isShown(key)))
}

/**
 * The filter's clauses with their fields resolved: `document_id` and `language` to the mapped ones, all others into the
 * metadata. `kind` is theirs, where they have one. Throws `invalid_request` where no record says its language.
 */
export function resolveFilter(mapping: FieldMapping, filter: Filter | undefined, name: string): IndexClause[] {
  return filterClauses(filter ?? {}).map((clause) => ({ ...clause, path: resolveField(mapping, clause.field, name) }))
}

function resolveField(mapping: FieldMapping, field: string, name: string): FieldPath {
  if (field === "document_id") return mapping.document ?? []
  if (field === "kind" && mapping.kind) return mapping.kind
  if (field === "language") {
    if (mapping.language) return mapping.language
    throw invalidField("filter.language", `the records of ${name} don't say their language`)
  }
  return [...mapping.metadata, ...field.split(".")]
}
