import { deadlineIn } from "../deadline.ts"
import { AppError, invalidField } from "../errors.ts"
import type { Candidate, Passage } from "../search/candidate.ts"
import type { CandidateQuery, FindCandidates } from "../search/find-candidates.ts"
import { fuse } from "../search/fuse.ts"
import { parseQuestion } from "../search/question.ts"
import { DEFAULT_ALPHA } from "../search/tuning.ts"
import { normalized } from "../vector.ts"
import type { Collection } from "./collection.ts"
import { type MappedRecord, readRecord, resolveFilter } from "./field-mapping.ts"
import { findLists } from "./find-lists.ts"
import { callIndex } from "./index-failure.ts"
import { cosine, type Merged, mergeLists } from "./ranked-lists.ts"
import type { IndexCall } from "./search-index.ts"
import { mayRead, type Tenancy, type TenantView, viewOf } from "./tenancy.ts"
import { matchingWords } from "./word-ranking.ts"

export interface IndexCandidatesDeps {
  readonly children: Collection
  /** Where hits are expanded to; null: nowhere. */
  readonly parents: Collection | null
  readonly tenancy: Tenancy
  /** Whether `rrf` is left to the engine, where it can. */
  readonly nativeHybrid: boolean
}

/**
 * The pipeline's candidates from any `SearchIndex`: its records take the place of chunks, and all that follows is the same.
 * Throws `forbidden` for a tenant that the index isn't for, `not_found` where there is no such collection (any more).
 */
export function indexCandidates(deps: IndexCandidatesDeps): FindCandidates {
  const { children, tenancy, nativeHybrid } = deps
  return async (tenant, query, timeoutMs) => {
    const view = viewOf(tenancy, tenant)
    const call: IndexCall = { partition: view.partition, signal: deadlineIn(timeoutMs).signal }
    const layout = await children.layout(call)
    if (!layout) throw new AppError("not_found", `There is no ${children.index.name}.`)
    const { mapping, facts } = layout
    requireLength(query, facts.dimensions, children.index.name)
    const question = parseQuestion(query.query)
    const filter = [...view.clauses, ...resolveFilter(mapping, query.filter, children.index.name)]
    const lists = await findLists(children.index, { query, question, filter, mapping, nativeHybrid }, call)
    const merged = mergeLists(lists.dense, lists.lexical, query.byDocument).map((one) => withSimilarity(one, query))
    const notes = [...lists.notes]
    if (query.vectors && !children.index.capabilities.vectors) {
      notes.push(`diversify: ${children.index.name} gives no vectors; the order is that of the fusion`)
    }
    const expanded = query.parents ? await findParents(deps.parents, merged, query, view, call) : null
    if (expanded?.note) notes.push(expanded.note)
    const candidates = merged.map((one) => toCandidate(one, query, question.words, expanded?.parents ?? null))
    return { candidates, comparable: query.nearestTo !== null, notes }
  }
}

function requireLength({ nearestTo }: CandidateQuery, dimensions: number | null, name: string): void {
  if (!nearestTo || dimensions === null || nearestTo.vector.length === dimensions) return
  const problem = `has ${nearestTo.vector.length} dimensions; the vectors of ${name} have ${dimensions}`
  throw nearestTo.fromCaller
    ? invalidField("embedding", problem)
    : new AppError("invalid_configuration", `The question's vector ${problem}.`)
}

/** `weighted` and `two_pass` rank by both scores of every candidate, where its vector came along. */
function withSimilarity(merged: Merged, { strategy, nearestTo }: CandidateQuery): Merged {
  const isWanted = strategy === "weighted" || strategy === "two_pass"
  if (!isWanted || merged.similarity !== null || !merged.vector || !nearestTo) return merged
  return { ...merged, similarity: cosine(nearestTo.vector, merged.vector) }
}

interface FoundParents {
  /** By their ids. */
  readonly parents: ReadonlyMap<string, MappedRecord>
  readonly note?: string
}

/** The parents of those candidates whose passage fusion can bring into the answer. */
async function findParents(
  parents: Collection | null,
  merged: readonly Merged[],
  query: CandidateQuery,
  view: TenantView,
  call: IndexCall,
): Promise<FoundParents> {
  const none = { parents: new Map<string, MappedRecord>() }
  if (merged.length === 0) return none
  const ids = firstParents(merged, query)
  if (ids.length === 0) return none
  if (!parents) return { ...none, note: "expand: PARENT_EXPANSION_COLLECTION is off; hits are shown as they are" }
  const layout = await parents.layout(call)
  if (!layout) return { ...none, note: `expand: there is no ${parents.index.name}; hits are shown as they are` }
  const found = await callIndex(parents.index.name, call.signal, () => parents.index.fetch(ids, call))
  const readable = found.filter((record) => mayRead(view, record)).map((record) => readRecord(layout.mapping, record))
  const missing = ids.length - readable.length
  return {
    parents: new Map(readable.map((record) => [record.id, record])),
    ...(missing > 0 && { note: `expand: ${missing} of ${ids.length} parents are not in ${parents.index.name}` }),
  }
}

function firstParents(merged: readonly Merged[], query: CandidateQuery): string[] {
  const parentIds = new Map(merged.map(({ record }) => [record.id, record.parentId]))
  const order = fuse(
    merged.map((one) => toCandidate(one, query, "", null)),
    { ...query, alpha: query.alpha ?? DEFAULT_ALPHA },
  )
  const shown = new Set<string>()
  const ids = new Set<string>()
  for (const { candidate } of order) {
    const parentId = parentIds.get(candidate.key) ?? null
    shown.add(parentId ?? candidate.key)
    if (shown.size > query.passages) break
    if (parentId !== null) ids.add(parentId)
  }
  return [...ids]
}

function toCandidate(
  merged: Merged,
  query: CandidateQuery,
  words: string,
  parents: ReadonlyMap<string, MappedRecord> | null,
): Candidate {
  const { record, vector, ...scores } = merged
  const parent = parents && record.parentId !== null ? (parents.get(record.parentId) ?? null) : null
  return {
    ...scores,
    key: record.id,
    documentId: record.documentId,
    chunkId: record.chunkId,
    shownId: parent?.chunkId ?? record.chunkId,
    passage: toPassage(record, parent, query.highlights ? words : null),
    vector: query.vectors && vector ? normalized(vector) : null,
  }
}

function toPassage(record: MappedRecord, parent: MappedRecord | null, words: string | null): Passage {
  const content = parent?.content || record.content
  return {
    title: record.title || (parent?.title ?? ""),
    content,
    language: record.language,
    metadata: record.metadata,
    regions: [],
    page: parent?.page ?? record.page,
    matchingWords: words === null ? null : matchingWords(words, content),
    translation: null,
    version: null,
    hasPicture: false,
    kind: null,
    anomalies: [],
  }
}
