import type { Candidate, Passage, Scored } from "../lib/search/candidate.ts"

/** A candidate for the stages after the database: what isn't given is absent. */
export function candidate(documentId: string, given: Partial<Candidate> = {}): Candidate {
  return {
    key: documentId,
    documentId,
    chunkId: "c0001",
    shownId: given.chunkId ?? "c0001",
    similarity: null,
    denseRank: null,
    bm25: null,
    lexicalRank: null,
    passage: null,
    vector: null,
    ...given,
  }
}

/** A passage of the text. */
export function passage(content: string, given: Partial<Passage> = {}): Passage {
  return {
    title: "",
    content,
    language: "en",
    metadata: {},
    regions: [],
    page: null,
    matchingWords: [],
    translation: null,
    version: null,
    hasPicture: false,
    kind: null,
    anomalies: [],
    ...given,
  }
}

/** Ids of a ranking, best first. */
export function ids(ranked: readonly Scored[]): string[] {
  return ranked.map((scored) => scored.candidate.documentId)
}
