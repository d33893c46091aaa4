import type { CandidateQuery } from "../search/find-candidates.ts"
import type { Question } from "../search/question.ts"
import { normalized } from "../vector.ts"
import { type FieldMapping, readRecord } from "./field-mapping.ts"
import { callIndex } from "./index-failure.ts"
import { cosine, type Listed } from "./ranked-lists.ts"
import type { IndexCall, IndexFilter, ScoredRecord, SearchIndex } from "./search-index.ts"
import { allowsText, needsVector, rankWords } from "./word-ranking.ts"

/** Longest list asked of an engine, and how much longer a second try is. */
const DEPTH_MAX = 1_000
const WIDENING = 4

/** One question to one index. */
export interface ListsQuery {
  readonly query: CandidateQuery
  readonly question: Question
  readonly filter: IndexFilter
  readonly mapping: FieldMapping
  readonly nativeHybrid: boolean
}

/** Both lists, best first, and what they had to do without. */
export interface Lists {
  readonly dense: readonly Listed[]
  readonly lexical: readonly Listed[]
  readonly notes: readonly string[]
}

/**
 * The lists that the strategy fuses, side by side. Where the engine has no search by words, words rank the dense list's
 * records, and a note says so. Throws `inference_unavailable` where nothing is left to rank by.
 */
export async function findLists(index: SearchIndex, asked: ListsQuery, call: IndexCall): Promise<Lists> {
  const { query, question, nativeHybrid } = asked
  const { strategy, nearestTo } = query
  const wantsWords = strategy !== "semantic" && question.words !== ""
  if (nearestTo && wantsWords && strategy === "rrf" && nativeHybrid && index.searchHybrid)
    return hybridList(index, asked, call)
  const hasWords = index.searchLexical !== undefined
  const substitutes = wantsWords && !hasWords
  if (substitutes && !nearestTo) throw needsVector(index.name)
  // Two-pass orders what words chose: an engine that gives no vectors must rank it by meaning itself.
  const wantsMeaning =
    strategy === "semantic" ||
    strategy === "rrf" ||
    strategy === "weighted" ||
    (strategy === "two_pass" && !index.capabilities.vectors)
  const [dense, lexical] = await Promise.all([
    nearestTo && (wantsMeaning || substitutes) ? denseList(index, asked, call) : [],
    wantsWords && hasWords ? lexicalList(index, asked, call) : [],
  ])
  if (substitutes) return substituted(index, asked, dense)
  if (strategy === "two_pass" && nearestTo) return twoPass(index, dense, lexical)
  return { dense, lexical, notes: [] }
}

async function hybridList(index: SearchIndex, asked: ListsQuery, call: IndexCall): Promise<Lists> {
  const { query, question } = asked
  const vector = unitVector(query)
  const dense = await deepEnough(
    asked,
    query.denseDepth,
    async (limit) => {
      const request = {
        vector,
        text: question.words,
        limit,
        filter: asked.filter,
        withVectors: index.capabilities.vectors,
      }
      return (await index.searchHybrid?.(request, call)) ?? []
    },
    index,
    call,
  )
  return {
    dense: dense.map((listed) => ({ ...listed, score: listed.vector ? cosine(vector, listed.vector) : null })),
    lexical: [],
    notes: [],
  }
}

function denseList(index: SearchIndex, asked: ListsQuery, call: IndexCall): Promise<Listed[]> {
  const { query, filter } = asked
  const vector = unitVector(query)
  const find = (limit: number) =>
    index.searchDense({ vector, limit, filter, withVectors: wantsVectors(index, query) }, call)
  return deepEnough(asked, query.denseDepth, find, index, call)
}

function lexicalList(index: SearchIndex, asked: ListsQuery, call: IndexCall): Promise<Listed[]> {
  const { query, question, filter } = asked
  // `weighted` and `two_pass` want the similarity of what words alone found.
  const withVectors =
    index.capabilities.vectors && (wantsVectors(index, query) || ["weighted", "two_pass"].includes(query.strategy))
  const find = async (limit: number) =>
    (await index.searchLexical?.({ text: question.words, limit, filter, withVectors }, call)) ?? []
  return deepEnough(asked, query.lexicalDepth, find, index, call)
}

/** A list as long as it was asked for; once longer where phrases or long documents leave too little of it. */
async function deepEnough(
  { query, question, mapping }: ListsQuery,
  depth: number,
  find: (limit: number) => Promise<readonly ScoredRecord[]>,
  { name }: SearchIndex,
  { signal }: IndexCall,
): Promise<Listed[]> {
  const from = async (limit: number) => {
    const found = await callIndex(name, signal, () => find(limit))
    const listed = found.map((record) => ({
      record: readRecord(mapping, record),
      score: record.score,
      vector: record.vector,
    }))
    return { isAll: found.length < limit, listed: listed.filter(({ record }) => allowsText(question, record)) }
  }
  const isEnough = (listed: readonly Listed[]) =>
    new Set(listed.map(({ record }) => (query.byDocument ? record.documentId : record.id))).size >= query.wanted
  const limit = Math.min(DEPTH_MAX, depth)
  const first = await from(limit)
  if (first.isAll || isEnough(first.listed) || limit === DEPTH_MAX) return first.listed
  return (await from(Math.min(DEPTH_MAX, limit * WIDENING))).listed
}

/** Words over the dense list's records: what lies far from the question in meaning, they can't find. */
function substituted({ name }: SearchIndex, { query, question }: ListsQuery, dense: readonly Listed[]): Lists {
  const scores = rankWords(
    question.words,
    dense.map(({ record }) => record),
  )
  const lexical = dense
    .map((listed, i) => ({ ...listed, score: scores[i] ?? 0 }))
    .filter((listed) => listed.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, query.lexicalDepth)
  const notes = [`words: ${name} has no search by words; BM25 over the ${dense.length} passages nearest in meaning`]
  if (query.strategy === "lexical") return { dense: [], lexical, notes }
  const chosen = new Set(lexical.map(({ record }) => record.id))
  return {
    dense: query.strategy === "two_pass" ? dense.filter(({ record }) => chosen.has(record.id)) : dense,
    lexical,
    notes,
  }
}

function twoPass({ name, capabilities }: SearchIndex, dense: readonly Listed[], lexical: readonly Listed[]): Lists {
  if (capabilities.vectors) return { dense: [], lexical, notes: [] }
  const chosen = new Set(lexical.map(({ record }) => record.id))
  const notes = [`two_pass: ${name} gives no vectors; what words found beyond the nearest passages comes last`]
  return { dense: dense.filter(({ record }) => chosen.has(record.id)), lexical, notes }
}

function wantsVectors({ capabilities }: SearchIndex, { vectors }: CandidateQuery): boolean {
  return vectors && capabilities.vectors
}

function unitVector({ nearestTo }: CandidateQuery): Float32Array {
  return normalized(nearestTo?.vector ?? [])
}
