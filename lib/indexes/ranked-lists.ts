import { dot, normalized } from "../vector.ts"
import type { MappedRecord } from "./field-mapping.ts"

/** A record of a list, in the list's order. */
export interface Listed {
  readonly record: MappedRecord
  /** Null: the engine's own fusion found it, and gave no vector to compare. */
  readonly score: number | null
  readonly vector: Float32Array | null
}

/** A record that one list or both brought up. Ranks start at 1. */
export interface Merged {
  readonly record: MappedRecord
  readonly vector: Float32Array | null
  readonly similarity: number | null
  readonly denseRank: number | null
  readonly bm25: number | null
  readonly lexicalRank: number | null
}

interface Ranked extends Listed {
  readonly rank: number
}

/** Both lists as one set, as the SQL function `hybrid_candidates` makes it: grouped by document, each list keeps a
 * document's best record before ranks are given, and the one that ranks higher stands for the document. */
export function mergeLists(dense: readonly Listed[], lexical: readonly Listed[], byDocument: boolean): Merged[] {
  const byMeaning = rankUnits(dense, byDocument)
  const byWords = rankUnits(lexical, byDocument)
  return [...new Set([...byMeaning.keys(), ...byWords.keys()])].flatMap((unit) => {
    const d = byMeaning.get(unit)
    const l = byWords.get(unit)
    const best = d && (!l || d.rank <= l.rank) ? d : l
    if (!best) return []
    const merged: Merged = {
      record: best.record,
      vector: best.vector,
      similarity: d?.score ?? null,
      denseRank: d?.rank ?? null,
      bm25: l?.score ?? null,
      lexicalRank: l?.rank ?? null,
    }
    return [merged]
  })
}

function rankUnits(list: readonly Listed[], byDocument: boolean): Map<string, Ranked> {
  const units = new Map<string, Ranked>()
  for (const listed of list) {
    const unit = byDocument ? listed.record.documentId : listed.record.id
    if (!units.has(unit)) units.set(unit, { ...listed, rank: units.size + 1 })
  }
  return units
}

/** Cosine of the question's vector and a stored one. */
export function cosine(question: ArrayLike<number>, stored: Float32Array): number {
  return dot(normalized(question), normalized(stored))
}
